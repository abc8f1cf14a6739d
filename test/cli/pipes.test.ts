/** What becomes of answers when nobody, or somebody slow, reads them (C251). */

import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { InboxAnswer, ListAnswer } from '../../src/core/answers.ts'
import { until } from '../e2e/lab/until.ts'
import { openShell, PATIENCE_MS, type Shell } from './shell.ts'

let shell: Shell
beforeEach(async () => {
  shell = await openShell()
})
afterEach(() => shell.close())

describe('a slow reader', () => {
  /** Takes at most 1 KiB every few milliseconds, so that the pipe stays full. */
  async function readSlowly(args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
    const child = shell.start(args)
    const { stdout } = child
    if (stdout === null) throw new Error('no pipe')
    const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
    const chunks: Buffer[] = []
    for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk)
      await pause(chunk.length / 256)
    }
    return { code: await closed, text: Buffer.concat(chunks).toString() }
  }

  it('gets a list that is larger than any pipe, whole (C251)', async () => {
    for (let i = 0; i < 600; i++) await shell.register(`session-${i}`)
    const { code, text } = await readSlowly(['list', '--all', '--json'])
    expect(code).toBe(0)
    expect(text.length).toBeGreaterThan(100_000)
    expect((JSON.parse(text) as ListAnswer).sessions).toHaveLength(600)
  })

  it('gets its mail whole, and it is read then (C251)', async () => {
    for (let i = 0; i < 10; i++) await shell.mail('human', `${i} ${'x'.repeat(3_000)}`)
    const { code, text } = await readSlowly(['inbox', '--json'])
    expect(code).toBe(0)
    expect((JSON.parse(text) as InboxAnswer).messages).toHaveLength(10)
    expect(await shell.unread('human')).toBe(0)
  })
})

describe('inbox', () => {
  it('reads the person’s own mail once', async () => {
    await shell.mail('human', 'first')
    expect(((await shell.json(['inbox', '--peek'])) as InboxAnswer).messages).toHaveLength(1)
    expect((await shell.run(['inbox'])).stdout).toMatch(/│ first\n\n1 message, now read/)
    expect((await shell.run(['inbox'])).stdout).toContain('No unread messages')
    expect((await shell.run(['inbox', '--history=5'])).stdout).toContain('│ first')
  })

  it('only looks into the inbox of a session (C040)', async () => {
    await shell.register('b')
    await shell.mail('b', 'for b')
    expect((await shell.run(['inbox', 'b'])).stdout).toContain('left unread in the inbox of b')
    expect(await shell.unread('b')).toBe(1)
  })

  it.each(['before the first byte', 'after the first bytes'])(
    'takes nothing when its reader leaves %s (C251)',
    async (moment) => {
      for (let i = 0; i < 10; i++) await shell.mail('human', `${i} ${'x'.repeat(3_000)}`)
      const signs = { pausing: path.join(shell.home, 'pausing'), left: path.join(shell.home, 'left') }
      const child = shell.start(['inbox'], { env: { NODE_OPTIONS: `--import=${stretched(signs)}` } })
      const { stdout, stderr } = child
      if (stdout === null || stderr === null) throw new Error('no pipes')
      const closed = new Promise((resolve) => child.on('close', resolve))
      const isGone = once(stdout, 'close')
      let said = ''
      stderr.on('data', (chunk) => {
        said += chunk
      })
      if (moment.startsWith('after')) {
        await once(stdout, 'data')
        await until('it holds the rest back', () => existsSync(signs.pausing) || child.exitCode !== null, PATIENCE_MS)
      }
      stdout.destroy()
      await isGone
      writeFileSync(signs.left, '')
      const code = await closed
      expect({ code, said }).toEqual({ code: 0, said: '' })
      expect(await shell.unread('human')).toBe(10)
    },
  )

  /**
   * A module that stretches every pause of a program until `left` is there, and says so with `pausing`: the moment for
   * which the last byte is held back, so that a reader can leave, is long enough on any machine.
   */
  function stretched({ pausing, left }: Readonly<Record<'pausing' | 'left', string>>): string {
    const source = `
      import { existsSync, writeFileSync } from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      import timers from 'node:timers/promises'
      const pause = timers.setTimeout
      timers.setTimeout = async (ms, value, options) => {
        writeFileSync(${JSON.stringify(pausing)}, '')
        while (!existsSync(${JSON.stringify(left)})) await pause(5)
        return pause(ms, value, options)
      }
      syncBuiltinESMExports()`
    return `data:text/javascript,${encodeURIComponent(source)}`
  }
})
