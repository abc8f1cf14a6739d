// A plugin of OpenCode that does what a file says: `ACT_DIR/<n>.json` holds {operation, params}, `<n>.done` the answer.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const { ACT_DIR: directory, ACT_MODULE: module } = process.env

export const Act = async ({ client }) => {
  const { performOpenCode } = await import(module)
  const look = async () => {
    for (const name of readdirSync(directory).filter((each) => each.endsWith('.json'))) {
      const file = path.join(directory, name)
      renameSync(file, `${file}.taken`)
      const { operation, params } = JSON.parse(readFileSync(`${file}.taken`, 'utf8'))
      const answer = await performOpenCode(client, operation, params).catch((fault) => ({ fault: String(fault) }))
      writeFileSync(`${file}.tmp`, JSON.stringify(answer))
      renameSync(`${file}.tmp`, file.replace(/json$/, 'done'))
    }
  }
  setInterval(() => look().catch(() => undefined), 50).unref()
  return {}
}
