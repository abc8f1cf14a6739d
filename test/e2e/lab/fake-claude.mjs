#!/usr/bin/env node
// A terminal program that looks like Claude Code to whoever types into it: the same box around its input line, bracketed
// paste, dialogs in place of the box. It writes down how it was started, and each line that was submitted.
import fs from 'node:fs'

const log = process.env['FAKE_LOG']
const note = (event) => fs.appendFileSync(log, `${JSON.stringify({ pid: process.pid, ...event })}\n`)
note({ started: process.argv.slice(2), cwd: process.cwd(), env: process.env })
if (process.argv.includes('end at once')) process.exit(1)

/** As the real one: Enter right after text belongs to a paste. */
const SWALLOWS_MS = 200
const rule = '─'.repeat(60)
const said = []
let input = ''
let state = 'idle'
let typedAt = 0

const VIEWS = {
  idle: () => [rule, `❯ ${input}`, rule, '  ⏵⏵ manual mode on'],
  working: () => ['✽ Thinking…', rule, `❯ ${input}`, rule, '  ⏵⏵ manual mode on · esc to interrupt'],
  dialog: () => [
    rule,
    ' Bash command',
    '   rm -rf /',
    ' Do you want to proceed?',
    ' ❯ 1. Yes',
    '   2. No',
    '',
    ' Esc to cancel',
  ],
}
function draw() {
  process.stdout.write(`\x1b[2J\x1b[H${[...said.slice(-5), '', ...VIEWS[state]().join('\n').split('\n')].join('\r\n')}`)
}

function submit() {
  if (Date.now() - typedAt < SWALLOWS_MS) return
  note({ submitted: input, state })
  const rename = /^\/rename (.+)$/.exec(input)
  if (rename !== null) said.push(`  ⎿  Session renamed to: ${rename[1]}`)
  if (input === 'work') state = 'working'
  if (input === 'ask') state = 'dialog'
  input = ''
}

function key(text) {
  if (text === '\r') submit()
  else if (text === '\x1b') {
    note({ escaped: state })
    if (state === 'working') state = 'idle'
  } else if (text === '\t') input += '<completed>'
  else if (state === 'dialog') note({ answered: text })
  else {
    input += text
    typedAt = Date.now()
  }
}

process.stdin.setRawMode(true)
process.stdout.write('\x1b[?2004h')
/** What came of a paste that has not ended yet. */
let begun = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const data = begun + chunk
  begun = data.includes('\x1b[200~') && !data.includes('\x1b[201~') ? data : ''
  if (begun !== '') return
  for (const piece of data.split(/(\x1b\[200~[\s\S]*?\x1b\[201~)/)) {
    if (piece.startsWith('\x1b[200~')) {
      input += piece.slice(6, -6).replaceAll('\r', '\n')
      typedAt = Date.now()
    } else for (const each of piece) key(each)
  }
  draw()
})
process.on('SIGHUP', () => process.exit(0))
draw()
