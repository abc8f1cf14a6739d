/** After a start: mail that comes before the host watches its wake file is not lost, however late it begins to. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { folder, payload, run, SESSION, send } from './hook.ts'

describe.skipIf(process.platform !== 'linux')(
  'the wake file of a session that has started',
  { timeout: 180_000 },
  () => {
    /** The session's host, as its hooks see it. */
    const host = () => {
      const child = spawn('sleep', ['1000'])
      onTestFinished(() => void child.kill('SIGKILL'))
      return { env: { CLAUDE_PID: String(child.pid) }, end: () => child.kill('SIGKILL') }
    }
    const patience = { timeout: 120_000 }

    test('is touched time and again while mail waits, and without mail never', async () => {
      const [home, other] = [folder(), folder()]
      const { env } = host()
      for (const each of [home, other]) await run(each, payload('SessionStart'), { env })
      const files = [home, other].map((each) => path.join(each, 'wakes', SESSION))
      await send(home, 'project', 'early', { activate: 'auto' })
      const touched = () => files.map((file) => statSync(file).mtimeMs > 1_000)
      // More often than in the first second, where it is looked at three times.
      for (let times = 0; times < 4; times++) {
        for (const file of files) utimesSync(file, 1, 1)
        await expect.poll(touched, patience).toEqual([true, false])
      }
    })

    test('is left alone soon after its host has ended', async () => {
      const home = folder()
      const { env, end } = host()
      await run(home, payload('SessionStart'), { env })
      const file = path.join(home, 'wakes', SESSION)
      const lookers = () => readdirSync('/proc').filter((pid) => commandOf(pid).includes(file)).length
      expect(lookers()).toBe(1)
      end()
      await expect.poll(lookers, patience).toBe(0)
    })
  },
)

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // no process, or one that has ended
  }
}
