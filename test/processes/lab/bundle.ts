/** Programs of the tests, written in TypeScript, as files that Node runs from anywhere. */

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

const DIRECTORY = path.resolve('node_modules/.cache/session-mcp/programs')
const built = new Map<string, Promise<string>>()

/** Bundles a program (path from the repository's root) with everything it needs. Each is built once per process. */
export function bundleProgram(file: string): Promise<string> {
  const known = built.get(file) ?? bundle(file)
  built.set(file, known)
  return known
}

async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.resolve(file)],
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
    logLevel: 'warning',
  })
  // Named by what is in it: nobody who shares the folder runs a program of another state of the sources.
  const contents = outputFiles[0]?.contents ?? ''
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 12)
  const outfile = path.join(DIRECTORY, `${file.replaceAll(/[\\/]/g, '-')}-${hash}.mjs`)
  // By rename, since another test process may be starting the same program.
  const fresh = `${outfile}.${process.pid}`
  fs.mkdirSync(DIRECTORY, { recursive: true })
  fs.writeFileSync(fresh, contents)
  fs.renameSync(fresh, outfile)
  return outfile
}
