import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import type { ProcessRef } from '../../src/core/ports.ts'
import { checkTag, createProcesses, processTag } from '../../src/system/process.ts'
import { fromPs, lookUp, parseStat } from '../../src/system/process-table.ts'

const IS_LINUX = process.platform === 'linux'
/** Small images come without one, or with one that has fewer options. */
const HAS_PS = spawnSync('/bin/ps', ['-o', 'lstart=', '-p', String(process.pid)]).status === 0
const children: ChildProcess[] = []

function start(command: string, args: string[]): ChildProcess & { readonly pid: number } {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  children.push(child)
  if (child.pid === undefined) throw new Error(`${command} did not start`)
  return Object.assign(child, { pid: child.pid })
}

function refTo(self: ProcessRef, pid: number): ProcessRef {
  const sight = lookUp(pid)
  if (typeof sight === 'string') throw new Error(`process ${pid} is ${sight}`)
  return { ...self, pid, start: sight.start }
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

describe('a process', () => {
  const processes = createProcesses()
  const { self } = processes

  it('knows itself and finds itself alive', () => {
    expect(self.pid).toBe(process.pid)
    expect(processes.check(self)).toBe(process.platform === 'win32' ? 'unknown' : 'alive')
    expect(createProcesses().self).toEqual(self)
  })

  it('names the program that started it, and that one is its nearest ancestor', () => {
    expect(processes.client?.pid).toBe(process.ppid)
    expect(processes.ancestors()[0]).toEqual(processes.client)
  })

  it('lists ancestors nearest first, without init and without repeats', () => {
    const pids = processes.ancestors().map((ref) => ref.pid)
    expect(new Set(pids).size).toBe(pids.length)
    expect(pids).not.toContain(1)
    expect(pids).not.toContain(0)
    for (const ref of processes.ancestors()) expect(processes.check(ref)).not.toBe('gone')
  })

  it('is seen alive by another one, and gone once it was killed', async () => {
    const child = start('sleep', ['600'])
    const ref = refTo(self, child.pid)
    expect(processes.check(ref)).toBe('alive')
    expect(checkTag(processTag(ref), self)).toBe('alive')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(processes.check(ref)).toBe('gone')
    expect(checkTag(processTag(ref), self)).toBe('gone')
  })

  it('is gone while it is a zombie that its parent has not collected', async () => {
    // Another program by the time it is killed: a shell that knows of a child of its own may collect it.
    const parent = start('sh', ['-c', 'sleep 600 & echo $!; exec sh -c "echo there; exec sleep 600"'])
    const lines = createInterface({ input: parent.stdout as Readable })[Symbol.asyncIterator]()
    const pid = Number((await lines.next()).value)
    expect((await lines.next()).value).toBe('there')
    const ref = refTo(self, pid)
    expect(processes.check(ref)).toBe('alive')
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => processes.check(ref)).toBe('gone')
    process.kill(pid, 0) // throws if the pid were free: the system still knows it
    expect(lookUp(pid)).toMatchObject({ isZombie: true })
  })

  it('C066 is gone when its pid belongs to a program with another start time', () => {
    const child = start('sleep', ['600'])
    const reused = { ...self, pid: child.pid, start: '1' }
    expect(processes.check(reused)).toBe('gone')
    expect(checkTag(processTag(reused), self)).toBe('gone')
  })

  it('C066 is gone when it belongs to another run of the kernel, whatever its pid does now', () => {
    expect(processes.check({ ...self, boot: '00000000-0000-4000-8000-000000000000' })).toBe(IS_LINUX ? 'gone' : 'alive')
  })

  it.each<[string, Partial<ProcessRef>]>([
    ['runs on another machine', { node: 'ffffffff' }],
    ['runs on another machine with another boot', { node: 'ffffffff', boot: 'x' }],
    ['runs in another pid namespace', { ns: 'pid:[1]' }],
    ['has the pid of a whole group', { pid: 0 }],
    ['has a negative pid', { pid: -1 }],
    ['has a pid that is no number', { pid: Number.NaN }],
    ['has a pid beyond all pids', { pid: 2 ** 40 }],
  ])('is unknown, not gone and not alive, when it %s', (_, part) => {
    expect(processes.check({ ...self, ...part })).toBe('unknown')
  })

  it.each(['node', 'ns', 'start'] as const)('is unknown when its %s is not known', (field) => {
    const { [field]: _, ...ref } = self
    expect(processes.check(ref)).toBe('unknown')
  })

  it('is gone without a start time too when nothing has its pid', async () => {
    const child = start('true', [])
    await once(child, 'exit')
    const { start: _, ...ref } = self
    expect(processes.check({ ...ref, pid: child.pid })).toBe('gone')
  })
})

describe('a process tag', () => {
  const { self } = createProcesses()

  it('fits into a file name', () => {
    expect(processTag(self)).toMatch(/^\d+\.[0-9a-z]+\.[0-9a-z]+\.[0-9a-z]+$/)
    expect(processTag({ pid: 7, start: 'a/b' })).toMatch(/^7\.x\.[0-9a-z]+\.[0-9a-z]+$/)
  })

  it('of this process is alive, of an earlier boot gone, of another namespace or machine unknown', () => {
    expect(checkTag(processTag(self), self)).toBe(self.start === undefined ? 'unknown' : 'alive')
    if (self.boot !== undefined) expect(checkTag(processTag({ ...self, boot: 'other' }), self)).toBe('gone')
    for (const field of ['ns', 'node']) {
      expect(checkTag(processTag({ ...self, [field]: 'other' }), self)).toBe('unknown')
    }
  })

  it('without a start time is unknown, and text that is no tag as well', () => {
    expect(checkTag(processTag({ ...self, start: '' }), self)).toBe('unknown')
    for (const text of [
      '',
      '1',
      '1.2',
      `-1.2.${processTag(self).split('.').slice(2).join('.')}`,
      '0.0.0.0.0',
      'x.x.x.x',
    ]) {
      expect(checkTag(text, self)).toBe('unknown')
    }
  })
})

describe('the process table', () => {
  const tail = '1 10 10 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 88772 5468160 1 18446744073709551615'

  it.each(['sleep', 'a b', ') S 99 (', 'x) Z 1\n1 (y'])('is not misled by the command name %j', (name) => {
    expect(parseStat(`10 (${name}) S ${tail}`)).toEqual({ ppid: 1, start: '88772', isZombie: false })
  })

  it('tells zombies, and makes nothing of a damaged row', () => {
    expect(parseStat(`10 (sh) Z ${tail}`)?.isZombie).toBe(true)
    for (const row of ['', '10 (sh', '10 (sh) S', '10 (sh) S 1 10', `10 (sh) S x${tail}`]) {
      expect(parseStat(row)).toBeUndefined()
    }
  })

  it.skipIf(!HAS_PS)('says the same through ps, which macOS is asked with, whatever zone and language are set', () => {
    const pid = process.pid
    expect(fromPs(pid)).toMatchObject({ ppid: process.ppid, isZombie: false, start: expect.stringMatching(/^\d{10}$/) })
    expect(fromPs(start('sleep', ['600']).pid)).toMatchObject({ ppid: pid })
    expect(fromPs(2 ** 31 - 1)).toBe('absent')
  })
})
