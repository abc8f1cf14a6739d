import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog, LOG_LEVELS, type LogOptions } from '../../src/system/log.ts'

let root: string
let file: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'session-mcp-log-'))
  file = join(root, 'log/server.log')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const log = (options: Partial<LogOptions> = {}) =>
  createLog({ file, level: 'debug', stderr: undefined, now: () => 0, ...options })
const lines = () => readFileSync(file, 'utf8').split('\n').slice(0, -1)

describe('the log', () => {
  it('writes one JSON object per line, whatever the fields hold', () => {
    log().warn('sweep', { count: 3, text: 'a\nb\u2028\ud83d', error: new TypeError('no'), big: 5n, t: 'x', level: 'x' })
    expect(lines()).toHaveLength(1)
    expect(JSON.parse(lines()[0] ?? '')).toEqual({
      t: '1970-01-01T00:00:00.000Z',
      level: 'warn',
      event: 'sweep',
      count: 3,
      text: 'a\nb\u2028\ud83d',
      error: 'TypeError: no',
      big: '5',
    })
  })

  it.each(LOG_LEVELS.map((level, weight) => [level, weight] as const))(
    'at level %s writes %i kinds of entries',
    (level, weight) => {
      writeFileSync(join(root, 'x.log'), '')
      const at = log({ file: join(root, 'x.log'), level })
      for (const name of ['error', 'warn', 'info', 'debug'] as const) at[name](name)
      const written = readFileSync(join(root, 'x.log'), 'utf8').split('\n').slice(0, -1)
      expect(written.map((line) => JSON.parse(line).event)).toEqual(['error', 'warn', 'info', 'debug'].slice(0, weight))
    },
  )

  it('is readable by its owner only', () => {
    log().info('x')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(root, 'log')).mode & 0o777).toBe(0o700)
  })

  it('loses nothing but the torn entry when a writer was killed in the middle of one', () => {
    log().info('first')
    appendFileSync(file, '{"t":"1970')
    log().info('second')
    log().info('third')
    expect(lines().map((line) => (line.endsWith('}') ? JSON.parse(line).event : 'torn'))).toEqual([
      'first',
      'torn',
      'second',
      'third',
    ])
  })

  it('starts anew at 1 MiB and keeps the full file beside it', () => {
    mkdirSync(join(root, 'log'))
    writeFileSync(file, `${'x'.repeat(1_048_575)}\n`)
    log().info('fresh')
    expect(lines()).toHaveLength(1)
    expect(statSync(`${file}.1`).size).toBe(1_048_576)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('replaces an entry that would push all others out by its size', () => {
    log().info('big', { text: 'ü'.repeat(10_000) })
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ event: 'big', droppedBytes: expect.any(Number) })
  })

  it('goes to the descriptor of stderr as well, and never to stdout', () => {
    const stdout = vi.spyOn(process.stdout, 'write')
    const other = join(root, 'stderr')
    log({ stderr: openSync(other, 'a') }).info('x')
    expect(readFileSync(other, 'utf8')).toBe(readFileSync(file, 'utf8'))
    expect(stdout).not.toHaveBeenCalled()
    stdout.mockRestore()
  })
})

describe('a log that cannot be written', () => {
  it('is silent: no folder, a folder in place of the file, a full disk, a closed stderr', () => {
    mkdirSync(join(root, 'folder'))
    for (const bad of [join(root, 'no/such/folder/x.log'), join(root, 'folder'), '/dev/full', '/proc/x', '\0']) {
      expect(() => log({ file: bad, stderr: 99_999 }).error('x')).not.toThrow()
    }
  })

  it('is silent in a read-only home', () => {
    chmodSync(root, 0o500)
    expect(() => log().error('x')).not.toThrow()
    chmodSync(root, 0o700)
  })

  it('keeps the event of an entry whose fields cannot be written', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    log().error('cycle', cycle)
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ level: 'error', event: 'cycle' })
    expect(() => log({ now: () => Number.NaN }).error('x')).not.toThrow()
  })
})
