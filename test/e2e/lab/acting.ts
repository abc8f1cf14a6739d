/** Operations done inside a running OpenCode, by a plugin with the client that plugins get. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { ActionParams, Operation, Performed } from '../../../src/hosts/opencode/actions.ts'
import type { Place } from './place.ts'
import { until } from './until.ts'

export const actor = fileURLToPath(new URL('./act-plugin.mjs', import.meta.url))

export interface Acting {
  /** For the host that loads `actor`. */
  readonly env: Readonly<Record<string, string>>
  act(operation: Operation, params: ActionParams): Promise<Performed>
}

export async function openActing(place: Place): Promise<Acting> {
  const directory = path.join(place.root, 'acts')
  mkdirSync(directory)
  const module = path.join(place.root, 'actions.mjs')
  const source = fileURLToPath(new URL('../../../src/hosts/opencode/actions.ts', import.meta.url))
  await build({ entryPoints: [source], outfile: module, bundle: true, format: 'esm', platform: 'node' })
  let count = 0
  return {
    env: { ACT_DIR: directory, ACT_MODULE: module },
    async act(operation, params) {
      const file = path.join(directory, String(count++))
      writeFileSync(`${file}.tmp`, JSON.stringify({ operation, params }))
      renameSync(`${file}.tmp`, `${file}.json`)
      await until(`${operation} is done`, () => existsSync(`${file}.done`))
      const answer = JSON.parse(readFileSync(`${file}.done`, 'utf8')) as Performed
      console.log(`[proof] opencode: ${operation} ${JSON.stringify(params)} -> ${answer.state}: ${answer.evidence}`)
      return answer
    },
  }
}
