/** The live view of the built program, driven with keys in a real terminal. */

import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { widthOf } from '../../src/cli/width.ts'
import { HUMAN } from '../../src/core/caller.ts'
import { until } from '../e2e/lab/until.ts'
import { bundleProgram } from '../processes/lab/bundle.ts'
import { noPanes, openPane, type Pane } from './pane.ts'
import { EXECUTABLE, openShell, PATIENCE_MS, type Shell } from './shell.ts'

const reason = noPanes()
const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

async function place(size = { columns: 100, rows: 24 }, program = EXECUTABLE): Promise<{ pane: Pane; shell: Shell }> {
  const shell = await openShell()
  open.push(shell)
  const pane = await openPane(size, { NODE: process.execPath, PROGRAM: program, SESSION_MCP_HOME: shell.home })
  open.push(pane)
  return { pane, shell }
}

/** By variables: paths are of any length, and may hold the words that are looked for on the screen. */
const WATCH = '"$NODE" "$PROGRAM" watch'

async function started(size?: { columns: number; rows: number }) {
  const here = await place(size)
  await here.shell.register('s-1', { name: 'builder' })
  await here.shell.register('s-2', { name: 'reviewer' })
  await here.pane.command(WATCH)
  await here.pane.shows(/builder.*\n.*reviewer/)
  return here
}

describe.skipIf(reason !== undefined)(
  `watch in a terminal${reason === undefined ? '' : ` [skipped: ${reason}]`}`,
  () => {
    it('shows a session, a state and a message as soon as they are there', async () => {
      const { pane, shell } = await started()
      await shell.register('s-3', { name: 'latecomer', status: 'blocked' })
      await pane.shows(/Needs you \(1\)\n.*latecomer +blocked/)
      await shell.mail('builder', 'Mail for you')
      await pane.shows(/builder +\S+ +(\S+ +)?1 \(\d+[sm]\)/)
      const builder = await shell.opened.bus.identify({
        connection: { named: new Set() },
        argument: 's-1',
        host: { kind: 'generic', doors: [] },
      })
      await shell.opened.bus.send(builder, { to: ['human'], content: 'May I?', intent: 'request' })
      await pane.shows(/1 message for you/)
      await pane.shows(/! builder +asks you/)
    })

    it('goes on after keys it does not know, and after text with colours was pasted', async () => {
      const { pane } = await started()
      await pane.press('C-F1', 'C-F2', 'M-S-F5')
      await pane.press('/')
      await pane.type('\u001b[31mre\u001b[0mviewer\u001b[1;5P')
      await pane.shows(/^\/reviewer/m)
      await pane.hides(/builder/)
    })

    it('writes what is typed, and says when it was read', async () => {
      const { pane, shell } = await started()
      await pane.press('j', 'w')
      await pane.shows(/Tell reviewer:/)
      await pane.type('Schau mal, 審査 🎯 q')
      await pane.shows(/Tell reviewer: Schau mal, 審査 🎯 q/)
      await pane.press('Enter')
      await pane.shows(/Stored for reviewer/)
      const [message] = (await shell.opened.bus.read(HUMAN, { inbox: 's-2', peek: true })).answer.messages
      expect(message).toMatchObject({ content: 'Schau mal, 審査 🎯 q', from: { id: 'human' }, intent: 'inform' })
      await shell.register('s-2')
      const reviewer = await shell.opened.bus.identify({
        connection: { named: new Set() },
        argument: 's-2',
        host: { kind: 'generic', doors: [] },
      })
      await (await shell.opened.bus.read(reviewer, {})).handedOver()
      await pane.shows(/reviewer: .*read/)
    })

    it('sends nothing when writing is cancelled, and a paste runs no command', async () => {
      const { pane, shell } = await started()
      await pane.press('w')
      await pane.type('half a thought')
      await pane.shows(/half a thought/)
      await pane.press('Escape')
      await pane.shows(/Nothing was sent/)
      // As a terminal marks it: completing, quitting and a line end are only text.
      await pane.type('\u001b[200~cyq\ry\u001b[201~')
      await pane.press('?')
      await pane.shows(/everything known about the session/)
      expect(await shell.unread('s-1')).toBe(0)
      const { sessions } = await shell.opened.bus.list(HUMAN, {})
      expect(sessions.map(({ status }) => status)).toEqual(['active', 'active'])
    })

    it('completes a session only after a yes', async () => {
      const { pane, shell } = await started()
      await pane.press('c')
      await pane.shows(/Complete builder\? y \/ n/)
      await pane.press('n')
      await pane.hides(/Complete builder/)
      expect((await shell.opened.bus.query(HUMAN, 'builder')).status).toBe('active')
      await pane.press('c')
      await pane.shows(/Complete builder\? y \/ n/)
      await pane.press('y')
      await pane.shows(/builder is completed/)
      expect((await shell.opened.bus.query(HUMAN, 'builder')).status).toBe('completed')
      await pane.shows(/reviewer[\s\S]*builder +completed/)
    })

    it('filters while one types, and shows all again', async () => {
      const { pane } = await started()
      await pane.press('/')
      await pane.type('VIEWER')
      await pane.hides(/builder/)
      await pane.press('Enter')
      await pane.shows(/1 session with "VIEWER"/)
      await pane.press('Escape')
      await pane.shows(/builder/)
    })

    it('C140: reads mail as text: who sent it, and nothing that drives the terminal', async () => {
      const { pane, shell } = await started()
      const builder = await shell.opened.bus.identify({
        connection: { named: new Set() },
        argument: 's-1',
        host: { kind: 'generic', doors: [] },
      })
      const content = 'first\u001b[2J\u001b]0;owned\u0007 second\u202e\nthird \u009b31mred'
      const sent = await shell.opened.bus.send(builder, { to: ['human', 'reviewer'], content, intent: 'request' })
      await pane.press('j', 'j')
      await pane.shows(/> +reviewer/)
      await pane.press('m')
      const peek = await pane.shows(/third red/)
      expect(peek).toMatch(/builder +\S+( ago)?, request.*\n.*first second\n/)
      expect(await shell.unread('s-2')).toBe(1)
      // Alone: Escape and a letter in one piece are Alt and that letter.
      await pane.press('Escape')
      await pane.hides(/third red/)
      await pane.press('i')
      await pane.shows(/Your last 1 message, 1 new/)
      await until('the message is read', async () => (await shell.unread('human')) === 0, PATIENCE_MS)
      await pane.press('Enter')
      await pane.type('Go on')
      await pane.press('Enter')
      await pane.shows(/Stored for builder/)
      const [answer] = (await shell.opened.bus.read(HUMAN, { inbox: 's-1', peek: true })).answer.messages
      expect(answer).toMatchObject({ content: 'Go on', replyTo: sent.messageId })
    })

    it('shows everything about a session, and how to get to it', async () => {
      const { pane } = await started()
      await pane.press('Enter')
      await pane.shows(/task +Task of s-1[\s\S]*evidence|activity +unknown/)
      await pane.press('o')
      await pane.shows(/builder runs in generic/)
      await pane.press('Escape')
      await pane.shows(/reviewer/)
    })

    it('says on an empty bus how to get sessions onto it', async () => {
      const { pane, shell } = await place()
      await pane.command(WATCH)
      await pane.shows(/1\. Connect a client, once/)
      await shell.register('s-1', { name: 'first' })
      await pane.shows(/> +first/)
    })

    it('fits every size, down to a terminal of one row', async () => {
      const { pane } = await started({ columns: 120, rows: 30 })
      for (const [columns, rows] of [
        [80, 24],
        [40, 12],
        [40, 5],
        [20, 3],
        [12, 1],
        [100, 40],
      ] as const) {
        await pane.resize(columns, rows)
        const screen = await pane.shows(rows >= 5 ? /builder[\s\S]*quit/ : rows > 1 ? /builder/ : /^2 sess/)
        for (const line of screen.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(columns)
      }
      // And nothing is left of the frames before.
      await pane.shows(/^(?:(?!STATE)[\s\S])*STATE(?:(?!STATE)[\s\S])*builder(?:(?!STATE)[\s\S])*help {2}q quit\n*$/)
    })
  },
)

describe.skipIf(reason !== undefined)(
  `the terminal is as it was${reason === undefined ? '' : ` [skipped: ${reason}]`}`,
  () => {
    const leaving: readonly (readonly [string, string, (pane: Pane) => Promise<void>])[] = [
      ['q', '0', (pane) => pane.press('q')],
      ['Ctrl-C', '130', (pane) => pane.press('C-c')],
      ['Ctrl-C while something is typed', '130', (pane) => pane.press('w', 'x', 'C-c')],
    ]
    it.each(leaving)('after %s', async (_, code, leave) => {
      const { pane, shell } = await place()
      await shell.register('s-1', { name: 'builder' })
      await pane.command('echo before')
      await pane.shows(/^before$/m)
      const [screen, modes] = [await pane.screen(), await pane.modes()]
      await pane.command(`${WATCH}; echo "left with $?"`)
      await pane.shows(/builder/)
      expect(await pane.modes()).not.toBe(modes)
      await leave(pane)
      const after = await pane.shows(/^left with/m)
      expect(after).toContain(`left with ${code}`)
      expect(after.startsWith(screen.trimEnd())).toBe(true)
      await pane.hasModes(modes)
    })

    it.each<[NodeJS.Signals, string]>([
      ['SIGTERM', '143'],
      ['SIGHUP', '129'],
      ['SIGINT', '130'],
    ])('after %s', async (signal, code) => {
      const { pane, shell } = await place()
      await shell.register('s-1', { name: 'builder' })
      const modes = await pane.modes()
      const pidFile = `${shell.home}/pid`
      await pane.command(`(echo $BASHPID > "$SESSION_MCP_HOME/pid"; exec ${WATCH}); echo "left with $?"`)
      await pane.shows(/builder/)
      process.kill(Number(readFileSync(pidFile, 'utf8')), signal)
      expect(await pane.shows(/^left with/m)).toContain(`left with ${code}`)
      await pane.hasModes(modes)
    })

    it('while it is suspended, and it is back with fg', async () => {
      const { pane, shell } = await place()
      await shell.register('s-1', { name: 'builder' })
      const modes = await pane.modes()
      await pane.command(WATCH)
      await pane.shows(/builder/)
      const inside = await pane.modes()
      for (const [n, name] of ['second', 'third'].entries()) {
        await pane.press('C-z')
        await pane.shows(new RegExp(`(?:Stopped[^]*){${n + 1}}`))
        await pane.hasModes(modes)
        await shell.register(name, { name })
        await pane.command('fg')
        await pane.shows(new RegExp(name))
        await pane.hasModes(inside)
        await pane.press('Enter')
        await pane.shows(/task +Task of/)
        await pane.press('Escape')
        await pane.shows(new RegExp(name))
      }
      await pane.press('q')
      await pane.hides(/builder/)
      await pane.hasModes(modes)
    })

    it('also where it was stopped from outside, and the shell had the terminal meanwhile', async () => {
      const { pane, shell } = await place()
      await shell.register('s-1', { name: 'builder' })
      await pane.command('stty sane; echo sane')
      await pane.shows(/^sane/m)
      const modes = await pane.modes()
      const pidFile = `${shell.home}/pid`
      await pane.command(`(echo $BASHPID > "$SESSION_MCP_HOME/pid"; exec ${WATCH})`)
      await pane.shows(/builder/)
      const inside = await pane.modes()
      const pid = Number(readFileSync(pidFile, 'utf8'))
      process.kill(pid, 'SIGSTOP')
      await pane.shows(/Stopped/)
      await pane.command('stty sane; fg')
      await pane.hides(/Stopped/)
      await pane.shows(/builder/)
      await pane.hasModes(inside)
      await pane.press('q')
      await pane.hides(/builder +/)
      await pane.hasModes(modes)
    })

    it('after a crash, and what crashed can be read', async () => {
      const { pane } = await place(undefined, await bundleProgram('test/cli/crashing-screen.ts'))
      const modes = await pane.modes()
      await pane.command(`"$NODE" "$PROGRAM"; echo "left with $?"`)
      await pane.shows(/on the screen/)
      await pane.press('x')
      expect(await pane.shows(/^left with/m)).toMatch(/a fault for the test[\s\S]*left with 1/)
      await pane.hasModes(modes)
    })
  },
)

describe('the executable', () => {
  it('does not carry the terminal library: the live view alone loads it', () => {
    const text = readFileSync(EXECUTABLE, 'utf8')
    expect(text).toContain('import("./watch.mjs")')
    expect(text).not.toMatch(/yoga|react/i)
    expect(readFileSync(EXECUTABLE.replace('index.js', 'watch.mjs'), 'utf8')).toMatch(/yoga/i)
  })
})

describe('without a terminal', () => {
  it('watch is wrong usage, and says what to use', async () => {
    const shell = await openShell()
    open.push(shell)
    const { code, stdout, stderr } = await shell.run(['watch'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('session-mcp list')
  })
})

describe.skipIf(reason !== undefined)(`other terminals${reason === undefined ? '' : ` [skipped: ${reason}]`}`, () => {
  it('a dumb one is refused', async () => {
    const { pane } = await place()
    await pane.command(`TERM=dumb ${WATCH}; echo "left with $?"`)
    expect(await pane.shows(/^left with \d/m)).toMatch(/TERM=dumb[\s\S]*left with 2/)
  })

  it('without colours the selected row is still marked', async () => {
    const { pane, shell } = await place()
    await shell.register('s-1', { name: 'builder' })
    await shell.register('s-2', { name: 'reviewer' })
    await pane.command(`NO_COLOR=1 ${WATCH}`)
    await pane.shows(/> {2}builder/)
    await pane.press('j')
    await pane.shows(/> {2}reviewer/)
  })
})
