/** Programs of the tests, written in TypeScript, as files that Node runs from anywhere. */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'

const built = new Map<string, Promise<string>>()
let directory: string | undefined

/** Bundles a program (path from the repository's root) with everything it needs. Each is built once per process. */
export function bundleProgram(file: string): Promise<string> {
  const known = built.get(file) ?? bundle(file)
  built.set(file, known)
  return known
}

async function bundle(file: string): Promise<string> {
  directory ??= makeDirectory()
  const outfile = path.join(directory, `${path.basename(file, '.ts')}.mjs`)
  await build({
    entryPoints: [path.resolve(file)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
    logLevel: 'warning',
  })
  return outfile
}

function makeDirectory(): string {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'session-mcp-programs-'))
  fs.chmodSync(made, 0o755) // some programs run as another user
  process.once('exit', () => fs.rmSync(made, { recursive: true, force: true }))
  return made
}
