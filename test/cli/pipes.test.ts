/** What becomes of answers when nobody, or somebody slow, reads them (C251). */

import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { InboxAnswer, ListAnswer } from '../../src/core/answers.ts'
import { openShell, type Shell } from './shell.ts'

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
      const child = shell.start(['inbox'])
      if (moment.startsWith('before')) child.stdout?.destroy()
      else child.stdout?.once('data', () => child.stdout?.destroy())
      let stderr = ''
      child.stderr?.on('data', (chunk) => {
        stderr += chunk
      })
      const code = await new Promise((resolve) => child.on('close', resolve))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(await shell.unread('human')).toBe(10)
    },
  )
})
