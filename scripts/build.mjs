// Builds dist/: one executable with everything it needs inside, and the library with its types.
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(fileURLToPath(import.meta.url), '../..')
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
rmSync(path.join(root, 'dist'), { recursive: true, force: true })

const shared = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  define: { __VERSION__: JSON.stringify(version) },
  chunkNames: 'chunks/[name]-[hash]',
  // Some bundled dependencies are CommonJS and call require().
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  logLevel: 'warning',
}
await build({ ...shared, entryPoints: ['src/index.ts', 'src/lib.ts'] })
chmodSync(path.join(root, 'dist/index.js'), 0o755)

if (!process.argv.includes('--no-types')) {
  const tsc = spawnSync(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.types.json'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (tsc.status !== 0) process.exit(tsc.status ?? 1)
}
