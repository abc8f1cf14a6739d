import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Check } from '../../src/cli/doctor/check.ts'
import { checkHookLog } from '../../src/cli/doctor/hook-log.ts'
import { checkHosts } from '../../src/cli/doctor/hosts.ts'
import { claudeCodeWiring } from '../../src/hosts/claude-code/wiring.ts'
import { type OpenedBus, openBus } from '../../src/open.ts'
import { lookUp } from '../../src/system/process-table.ts'
import { openPlace, type Place } from './install-place.ts'

let place: Place
let opened: OpenedBus | undefined
beforeEach(() => {
  place = openPlace()
})
afterEach(() => {
  opened?.close()
  opened = undefined
  place.close()
})

/** More than the largest pid that Linux gives, 2^22, so no process of any machine has it. */
const NOBODY = 5_000_000

const look = (): Promise<Check[]> =>
  checkHosts(
    {
      config: { home: place.home, userHome: place.userHome, env: {} },
      machine: place.machine,
      program: place.program(),
      opened,
    },
    [claudeCodeWiring],
  )

describe('sessions the host runs', () => {
  let child: ChildProcess
  beforeEach(() => {
    child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  })
  afterEach(() => child.kill())

  const peer = (name: string, content: unknown) =>
    place.write(path.join(place.userHome, '.claude', 'sessions', name), JSON.stringify(content))
  const running = (more: object = {}) => {
    const sight = lookUp(child.pid ?? 0)
    const procStart = typeof sight === 'object' ? sight.start : undefined
    peer(`${child.pid}.json`, {
      pid: child.pid,
      sessionId: 'live-1',
      cwd: '/w',
      name: 'api\u001b[31m fix',
      procStart,
      ...more,
    })
  }

  it('and the bus has never heard of are named, safe to print', async () => {
    running()
    peer(`${NOBODY}.json`, { pid: NOBODY, sessionId: 'dead', name: 'dead' })
    peer('12.json', 'anything')
    peer('13.json', { pid: '13', sessionId: 4 })
    peer('readme.json', { pid: child.pid, sessionId: 'x' })
    await place.install()
    const checks = await look()
    expect(checks).toHaveLength(3)
    expect(checks[1]).toEqual({
      area: 'hosts',
      level: 'warn',
      text: '1 Claude Code session runs but has not registered: api fix. Started before the install?',
      fix: 'Restart them.',
    })
  })

  it('are not told of when their hooks have registered them', async () => {
    running()
    opened = await openBus({ home: place.home, durability: 'process' })
    await place.install()
    expect(await look()).toHaveLength(3)
    await opened.store.hosts.bind({ hostKey: 'live-1', sessionId: 'live-1', boundAt: new Date().toISOString() })
    expect(await look()).toHaveLength(2)
  })

  it.skipIf(process.platform !== 'linux')('are not mistaken for another program with their number', async () => {
    running({ procStart: '1' })
    expect(await look()).toHaveLength(1)
  })
})

describe('what hooks could not do', () => {
  const now = Date.parse('2026-11-30T12:00:00Z')
  const line = (t: string, event: string, level = 'error') =>
    `${JSON.stringify({ t, level, event, error: 'E: \u001b[1mx' })}\n`
  const log = (text: string) => place.write(path.join(place.home, 'log', 'hooks.log'), text)

  it('is told for seven days: how often, and the newest three', () => {
    log(
      [
        line('2026-11-01T00:00:00Z', 'old'),
        line('2026-11-30T08:00:00Z', 'first'),
        'torn {\n',
        line('2026-11-30T09:00:00Z', 'fine', 'info'),
        ...['10', '11'].map((h) => line(`2026-11-30T${h}:00:00Z`, `at ${h}`)),
        line('2026-11-30T11:59:00Z', 'newest'),
      ].join(''),
    )
    const [check] = checkHookLog(place.home, now)
    expect(check).toMatchObject({ level: 'warn' })
    expect(check?.text).toBe(
      'Hooks failed 4 times in the last 7 days, without disturbing their sessions. Newest: 1m ago: newest, error E: x; 1h ago: at 11, error E: x; 2h ago: at 10, error E: x.',
    )
  })

  it('is silent without a log, and without faults in it', () => {
    expect(checkHookLog(place.home, now)).toEqual([])
    log(line('2026-11-30T09:00:00Z', 'fine', 'info'))
    expect(checkHookLog(place.home, now)).toEqual([])
  })
})
