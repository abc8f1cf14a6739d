// Builds dist/: one executable with everything it needs inside, and the library with its types.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(fileURLToPath(import.meta.url), '../..')
const dist = path.join(root, 'dist')
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
 * nanoid for browsers takes the global crypto, which Node loads at first use; its other build loads node:crypto at every
 * start, which costs a hook several milliseconds.
 */
const alias = { nanoid: path.join(root, 'node_modules/nanoid/index.browser.js') }

const shared = {
  alias,
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  define: { __VERSION__: JSON.stringify(version) },
  plugins: [withoutValidator],
  logLevel: 'warning',
}

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
// One CommonJS file starts a fifth faster than ES modules: no facades of Node's modules, no chunks to find and link.
await build({ ...shared, entryPoints: ['src/index.ts'], outfile: 'dist/index.js', format: 'cjs' })
writeFileSync(path.join(dist, 'package.json'), '{"type":"commonjs"}\n')
chmodSync(path.join(dist, 'index.js'), 0o755)
// One file per host adapter: hooks start for every prompt, so each carries only what it uses.
await build({ ...shared, entryPoints: ['hooks/claude-code.ts', 'hooks/codex.ts'], outdir: 'dist/hooks', format: 'cjs' })
copyFileSync(path.join(root, 'hooks/gate.sh'), path.join(dist, 'hooks/gate.sh'))
await build({ ...shared, entryPoints: ['src/lib.ts'], outfile: 'dist/lib.mjs', format: 'esm' })

// Installable bundles: the manifests and texts of plugins/ with the executables they start.
const plugins = path.join(dist, 'plugins')
cpSync(path.join(root, 'plugins'), plugins, { recursive: true })
mkdirSync(path.join(plugins, '.claude-plugin'))
renameSync(path.join(plugins, 'marketplace.json'), path.join(plugins, '.claude-plugin/marketplace.json'))
mkdirSync(path.join(plugins, '.agents/plugins'), { recursive: true })
renameSync(path.join(plugins, 'codex-marketplace.json'), path.join(plugins, '.agents/plugins/marketplace.json'))
for (const host of ['claude-code', 'codex']) {
  const program = path.join(plugins, host, 'program')
  for (const file of ['index.js', 'package.json', 'hooks/gate.sh', `hooks/${host}.js`]) {
    cpSync(path.join(dist, file), path.join(program, file), { recursive: true })
  }
  copyFileSync(path.join(root, 'LICENSE'), path.join(plugins, host, 'LICENSE'))
}

if (!process.argv.includes('--no-types')) {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  const types = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { cwd: root, stdio: 'inherit' })
  if (types.status !== 0) process.exit(types.status ?? 1)
}
