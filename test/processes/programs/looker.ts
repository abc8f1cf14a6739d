/**
 * Reads every record and message under a home, again and again, until SIGTERM, and tells of each that is no whole JSON.
 * Says after each round how many files it has read.
 */

import fs from 'node:fs'
import path from 'node:path'
import { pause } from '../lab/until.ts'

const [home = '', report = ''] = process.argv.slice(2)
let files = 0
const torn: string[] = []
process.on('SIGTERM', () => {
  fs.writeFileSync(report, JSON.stringify({ files, torn }))
  process.exit(0)
})

const seen = new Set<string>()
for (;;) {
  for (const folder of ['sessions', 'activity']) look(path.join(home, folder), true)
  for (const id of names(path.join(home, 'inboxes'))) {
    const inbox = path.join(home, 'inboxes', id)
    look(inbox, false)
    look(path.join(inbox, 'claimed'), false)
    look(path.join(inbox, 'read'), false)
  }
  console.log(files)
  await pause(1)
}

/** Messages never change, so each is read once per place; records change all the time. */
function look(directory: string, again: boolean): void {
  for (const name of names(directory)) {
    const file = path.join(directory, name)
    if (name.includes('~back~') || (!again && seen.has(file))) continue
    seen.add(file)
    try {
      const text = fs.readFileSync(file, 'utf8')
      files += 1
      JSON.parse(text)
    } catch (fault) {
      const { code } = fault as NodeJS.ErrnoException
      if (code !== 'ENOENT' && code !== 'EISDIR') torn.push(`${path.relative(home, file)}: ${String(fault)}`)
    }
  }
}

function names(directory: string): string[] {
  try {
    return fs.readdirSync(directory)
  } catch {
    return [] // not there yet
  }
}
