// A hook that keeps what it was given: `node record-hook.mjs DIR`, one file per call, named after the event.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const [directory] = process.argv.slice(2)
const text = readFileSync(0, 'utf8')
mkdirSync(directory, { recursive: true })
const name = `${JSON.parse(text).hook_event_name}.${process.hrtime.bigint()}`
// Read while the session still runs: whole or not at all.
writeFileSync(path.join(directory, '..', name), text)
renameSync(path.join(directory, '..', name), path.join(directory, `${name}.json`))
