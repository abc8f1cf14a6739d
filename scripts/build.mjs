// Builds dist/: one executable with everything it needs inside, and the library with its types.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(fileURLToPath(import.meta.url), '../..')
// Servers and hooks that run from dist/ start at any moment: each file there is replaced in one step, once all are made.
const dist = path.join(root, 'dist.new')
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))

/**
 * The SDK makes a JSON schema validator for elicitation, which this server never asks for. Leaving it out saves a third
 * of the bundle and several milliseconds of every start.
 */
const withoutValidator = {
  name: 'without-validator',
  setup({ onLoad }) {
    onLoad({ filter: /sdk[\\/]dist[\\/]esm[\\/]validation[\\/]ajv-provider\.js$/ }, () => ({
      contents: `export class AjvJsonSchemaValidator {
        getValidator() { return (input) => ({ valid: true, data: input, errorMessage: undefined }) }
      }`,
    }))
  },
}

/**
 * For every file that imports one of Node's modules, esbuild copies that, property by property: a millisecond of each start.
 * So of those that nearly every file imports there is one view, with the names that somebody uses.
 */
const sharedBuiltins = {
  name: 'shared-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(fs|os|path)$/ }, ({ path: name, kind, namespace }) =>
      kind === 'import-statement' && namespace === 'file' ? { path: name, namespace: 'builtin' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path: name }) => {
      const module = process.getBuiltinModule(name)
      const names = Object.entries(Object.getOwnPropertyDescriptors(module))
        // A getter, such as that of fs.promises, loads more of Node when it is read.
        .filter(([key, { get }]) => get === undefined && key !== 'default')
        .map(([key]) => `const _${key} = /* @__PURE__ */ pick('${key}'); export { _${key} as ${key} }`)
      return {
        contents: `const module = require('${name}'); const pick = (key) => module[key]; export default module\n${names.join('\n')}`,
      }
    })
  },
}

/**
 * nanoid for browsers takes the global crypto, which Node loads at first use; its other build loads node:crypto at every
 * start, which costs a hook several milliseconds.
 */
const alias = { nanoid: path.join(root, 'node_modules/nanoid/index.browser.js') }

/**
 * The live view is a file of its own: it brings a terminal library with a layout engine that is loaded with a top-level
 * await, and nobody else shall pay for it.
 */
const liveApart = {
  name: 'live-apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/live\/main\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './watch.mjs', external: true } : undefined,
    )
  },
}

/** The library loads its inspector, and a client for it, only in a development that we never are in. */
const withoutInspector = {
  name: 'without-inspector',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(react-devtools-core|ws)$/ }, ({ path: name }) => ({ path: name, namespace: 'left-out' }))
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'export default {}' }))
  },
}

const shared = {
  alias,
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  define: { __VERSION__: JSON.stringify(version) },
  plugins: [withoutValidator, liveApart],
  logLevel: 'warning',
}

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
// One CommonJS file starts a fifth faster than ES modules: no facades of Node's modules, no chunks to find and link.
const script = { ...shared, plugins: [...shared.plugins, sharedBuiltins], format: 'cjs' }
await build({ ...script, entryPoints: ['src/index.ts'], outfile: path.join(dist, 'index.js') })
writeFileSync(path.join(dist, 'package.json'), '{"type":"commonjs"}\n')
chmodSync(path.join(dist, 'index.js'), 0o755)
await build({
  ...shared,
  entryPoints: ['src/cli/live/main.ts'],
  outfile: path.join(dist, 'watch.mjs'),
  format: 'esm',
  define: { ...shared.define, 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  plugins: [withoutInspector],
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
})
// What the folders of plugins/ hold says what is built of them: `hook.ts`, and other programs that a host starts; `index.ts`
// beside a package.json for a host that loads one module, alone for one that loads a folder.
const bundles = readdirSync(path.join(root, 'plugins'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const files = readdirSync(path.join(root, 'plugins', name))
    const programs = files.filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    return {
      name,
      programs: programs.map((file) => [file === 'hook.ts' ? name : path.parse(file).name, `plugins/${name}/${file}`]),
      isModule: files.includes('index.ts') && files.includes('package.json'),
      isFolder: files.includes('index.ts') && !files.includes('package.json'),
    }
  })
// One file per host adapter: hooks start for every prompt, so each carries only what it uses.
await build({
  ...script,
  entryPoints: Object.fromEntries(bundles.flatMap(({ programs }) => programs)),
  outdir: path.join(dist, 'hooks'),
})
copyFileSync(path.join(root, 'hooks/gate.sh'), path.join(dist, 'hooks/gate.sh'))
await build({ ...shared, entryPoints: ['src/lib.ts'], outfile: path.join(dist, 'lib.mjs'), format: 'esm' })

// Installable bundles: the manifests and texts of plugins/ with the executables they start.
const plugins = path.join(dist, 'plugins')
cpSync(path.join(root, 'plugins'), plugins, { recursive: true, filter: (file) => !file.endsWith('.ts') })
mkdirSync(path.join(plugins, '.claude-plugin'))
renameSync(path.join(plugins, 'marketplace.json'), path.join(plugins, '.claude-plugin/marketplace.json'))
mkdirSync(path.join(plugins, '.agents/plugins'), { recursive: true })
renameSync(path.join(plugins, 'codex-marketplace.json'), path.join(plugins, '.agents/plugins/marketplace.json'))
for (const { name, programs, isModule, isFolder } of bundles) {
  const files = [
    'index.js',
    'watch.mjs',
    'package.json',
    'hooks/gate.sh',
    ...programs.map(([base]) => `hooks/${base}.js`),
  ]
  for (const file of programs.length === 0 ? [] : files)
    cpSync(path.join(dist, file), path.join(plugins, name, 'program', file), { recursive: true })
  // Plugins that a host loads into its own process: a folder each that works wherever it is copied.
  if (isFolder) await sealed(`plugins/${name}`)
  else copyFileSync(path.join(root, 'LICENSE'), path.join(plugins, name, 'LICENSE'))
  if (isModule) await module(name)
}
await sealed('hooks/cli-plugin')

/**
 * One CommonJS file, which `require` and `import` both load, and a package.json that keeps it CommonJS inside any project.
 * Its first line tells a plugin of ours, as it was built, from one that somebody changed.
 */
async function sealed(folder) {
  const out = path.join(dist, folder)
  const built = await build({ ...shared, entryPoints: [`${folder}/index.ts`], format: 'cjs', write: false })
  const [{ text }] = built.outputFiles
  const seal = createHash('sha256').update(text).digest('hex').slice(0, 16)
  mkdirSync(out, { recursive: true })
  writeFileSync(path.join(out, 'index.js'), `// session-mcp ${version} ${path.basename(folder)} ${seal}\n${text}`)
  writeFileSync(path.join(out, 'package.json'), '{"type":"commonjs"}\n')
}

/** One file without dependencies, called as its package.json says. */
async function module(name) {
  const { main } = JSON.parse(readFileSync(path.join(root, 'plugins', name, 'package.json'), 'utf8'))
  const outfile = path.join(plugins, name, main)
  await build({ ...shared, entryPoints: [`plugins/${name}/index.ts`], outfile, format: 'esm' })
}

if (!process.argv.includes('--no-types')) {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  const types = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.types.json', '--outDir', path.join(dist, 'types')], {
    cwd: root,
    stdio: 'inherit',
  })
  if (types.status !== 0) process.exit(types.status ?? 1)
}

const place = path.join(root, 'dist')
const files = filesIn(dist)
for (const file of files) {
  mkdirSync(path.dirname(path.join(place, file)), { recursive: true })
  renameSync(path.join(dist, file), path.join(place, file))
}
for (const file of filesIn(place)) if (!files.includes(file)) rmSync(path.join(place, file))
rmSync(dist, { recursive: true })

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
}
