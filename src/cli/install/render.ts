/** What `install` and `uninstall` say to a person. */

import type { View } from '../output.ts'
import { table } from '../table.ts'
import { wrap } from '../width.ts'
import { listing, shortPath, typed } from '../words.ts'
import type { HostHere } from './hosts-here.ts'
import type { FileDone, WireAnswer } from './install.ts'

type Words = Readonly<Record<FileDone['did'], readonly [done: string, planned: string]>>

const IN: Words = {
  created: ['made, with', 'would be made, with'],
  changed: ['now has', 'would have'],
  restored: ['no longer has', 'would no longer have'],
  removed: ['removed, as it held nothing but', 'would be removed, as it holds nothing but'],
  unchanged: ['unchanged, has', 'unchanged, has'],
}

const OUT: Words = {
  created: ['', ''],
  changed: ['no longer has', 'would no longer have'],
  restored: ['as it was before, without', 'would be as it was before, without'],
  removed: ['removed, as it held nothing but', 'would be removed, as it holds nothing but'],
  unchanged: ['unchanged', 'unchanged'],
}

export function renderInstall(answer: WireAnswer, view: View): string {
  const { title, changed, dryRun, home } = answer
  const bus = `the bus at ${shortPath(home, view.userHome)}`
  if (!changed) return lines(answer, view, IN, `Already installed: ${title} is wired to ${bus}.`)
  return lines(
    answer,
    view,
    IN,
    dryRun ? `This would wire ${title} to ${bus}. Nothing was written.` : `${title} is wired to ${bus}.`,
  )
}

export function renderUninstall(answer: WireAnswer, view: View): string {
  const { title, changed, dryRun } = answer
  if (!changed) return lines(answer, view, OUT, `Not installed: nothing in the files of ${title} is ours.`)
  return lines(
    answer,
    view,
    OUT,
    dryRun ? `This would take the bus out of ${title}. Nothing was written.` : `The bus is taken out of ${title}.`,
  )
}

function lines({ files, notes, next, dryRun, changed }: WireAnswer, view: View, words: Words, head: string): string {
  const { paint, columns } = view
  const indented = (text: string, mark: string) =>
    wrap(text, columns - 4).map((line, i) => `${i === 0 ? mark : '  '}  ${line}`)
  return [
    ...wrap(head, columns),
    ...(changed ? files.flatMap((file) => indented(fileLine(file, words[file.did][dryRun ? 1 : 0], view), '  ')) : []),
    ...notes.flatMap((note) => indented(note, paint.warn('! '))),
    ...files.flatMap(({ diff }) => (diff === undefined || diff === '' ? [] : ['', ...coloured(diff, view)])),
    ...next.flatMap((step) => indented(step, paint.strong('> '))),
  ].join('\n')
}

function fileLine({ path, did, entries }: FileDone, words: string, { userHome, paint }: View): string {
  // What was ours and had been changed by hand has no label any more.
  const what = entries.length === 0 && did !== 'unchanged' ? 'entries of session-mcp' : listing(entries)
  return [paint.name(shortPath(path, userHome)), words, what].filter((part) => part !== '').join(' ')
}

function coloured(diff: string, { paint }: View): string[] {
  return diff.split('\n').map((line) => {
    if (/^(---|\+\+\+|@@) /.test(line)) return paint.faint(line)
    return line.startsWith('+') ? paint.good(line) : line.startsWith('-') ? paint.bad(line) : line
  })
}

/** @param script the running executable, for clients that are wired by hand. */
export function renderHosts(hosts: readonly HostHere[], view: View, script: string): string {
  const { paint, columns, userHome } = view
  const rows = hosts.map(({ host, found, installed, gives }) => [
    { text: host, paint: paint.name },
    { text: found === null ? 'no' : shortPath(found, userHome) },
    { text: installed, ...(installed === 'yes' && { paint: paint.good }) },
    { text: gives },
  ])
  const titles = [
    { title: 'HOST' },
    { title: 'ON THIS MACHINE', min: 8, keep: 'end' as const },
    { title: 'INSTALLED' },
    { title: 'WITH IT', min: 20, drop: 1 },
  ]
  const free = hosts.find(({ found, installed }) => found !== null && installed !== 'yes')?.host
  return [
    ...table(titles, rows, columns, paint.faint),
    ...hosts.flatMap(({ why }) => (why === undefined ? [] : wrap(why, columns))),
    '',
    ...wrap(`session-mcp install ${free ?? '<host>'} wires one; --dry-run shows what it would write.`, columns),
    ...wrap(`Any other MCP client starts the server by hand: command node, arguments ${typed(script)}.`, columns),
  ].join('\n')
}
