// Runs a TypeScript program of this repository: `node scripts/run.mjs bench/main.ts [args]`.
// Node 20 does not strip types, so the file is bundled into .cache first; packages stay external.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(fileURLToPath(import.meta.url), '../..')
const [file, ...args] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node scripts/run.mjs <file.ts> [args]')
  process.exit(2)
}
const outfile = path.join(root, 'node_modules/.cache/session-mcp', `${file.replaceAll(/[\\/]/g, '-')}.mjs`)
await build({
  entryPoints: [path.resolve(root, file)],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
})
const done = spawnSync(process.execPath, [outfile, ...args], { cwd: root, stdio: 'inherit' })
process.exit(done.status ?? 1)
