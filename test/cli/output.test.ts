import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createOutput, type OutputOptions, ReaderGone } from '../../src/cli/output.ts'

interface Screen {
  readonly stream: NodeJS.WriteStream
  text(): string
}

function screen({
  isTTY = false,
  columns = 80,
  fault,
}: {
  isTTY?: boolean
  columns?: number
  fault?: Error
} = {}): Screen {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      if (fault !== undefined) return done(fault)
      chunks.push(chunk)
      setImmediate(done)
    },
  })
  return {
    stream: Object.assign(stream, { isTTY, columns }) as unknown as NodeJS.WriteStream,
    text: () => Buffer.concat(chunks).toString(),
  }
}

function outputTo(stdout: Screen, stderr: Screen, options: Partial<OutputOptions> = {}) {
  return createOutput({
    stdout: stdout.stream,
    stderr: stderr.stream,
    isJson: false,
    color: true,
    userHome: '/home/ada',
    ...options,
  })
}

const gone = () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })

describe('answers', () => {
  it('are text for people, made from safe text', async () => {
    const [stdout, stderr] = [screen(), screen()]
    await outputTo(stdout, stderr).answer({ name: 'a\u001b]0;own\u0007b' }, ({ name }) => `hello ${name}`)
    expect(stdout.text()).toBe('hello ab\n')
    expect(stderr.text()).toBe('')
  })

  it('are one JSON document with the original, escaped', async () => {
    const stdout = screen()
    await outputTo(stdout, screen(), { isJson: true }).answer({ name: 'a\u009b2J' }, () => 'not this')
    expect(stdout.text()).toBe('{"name":"a\\u009b2J"}\n')
  })

  it('are written whole, however large', async () => {
    const stdout = screen()
    await outputTo(stdout, screen()).answer('审'.repeat(200_000), (text) => text)
    expect(stdout.text()).toBe(`${'审'.repeat(200_000)}\n`)
  })

  it.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a pipe', { isTTY: false }, {}, false],
    ['a terminal with NO_COLOR', { isTTY: true }, { color: false }, false],
    ['a terminal with --json', { isTTY: true }, { isJson: true }, false],
  ] as const)('to %s', async (_, kind, options, isColoured) => {
    const stdout = screen(kind)
    const out = outputTo(stdout, screen(), options)
    await out.answer({}, (_safe, { paint }) => paint.bad('x'))
    expect(stdout.text().includes('\u001b')).toBe(isColoured)
  })

  it('know the width of a terminal, and that a pipe has none', () => {
    expect(outputTo(screen({ isTTY: true, columns: 60 }), screen()).view.columns).toBe(60)
    expect(outputTo(screen(), screen()).view.columns).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('handing over', () => {
  const handOver = () => {
    const calls: string[] = []
    return {
      calls,
      value: {
        answer: { text: 'mail' },
        handedOver: async () => void calls.push('handed over'),
        notHandedOver: async () => void calls.push('given back'),
      },
    }
  }

  it('is told only after every byte was written', async () => {
    const stdout = screen()
    const { value, calls } = handOver()
    const seen: string[] = []
    const handedOver = async () => {
      seen.push(stdout.text())
      await value.handedOver()
    }
    await outputTo(stdout, screen()).handOver({ ...value, handedOver }, ({ text }) => text, true)
    expect(seen).toEqual(['mail\n'])
    expect(calls).toEqual(['handed over'])
  })

  it('is taken back when the reader has gone (C251)', async () => {
    const { value, calls } = handOver()
    const out = outputTo(screen({ fault: gone() }), screen())
    await expect(out.handOver(value, ({ text }) => text, true)).rejects.toBeInstanceOf(ReaderGone)
    expect(calls).toEqual(['given back'])
  })

  it('is taken back when the disk behind stdout is full, and that is a fault', async () => {
    const { value, calls } = handOver()
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    await expect(
      outputTo(screen({ fault: full }), screen()).handOver(value, ({ text }) => text, true),
    ).rejects.toMatchObject({ code: 'DISK_FULL' })
    expect(calls).toEqual(['given back'])
  })

  it('is taken back when the answer cannot be shown at all', async () => {
    const { value, calls } = handOver()
    const render = () => {
      throw new Error('a fault of ours')
    }
    await expect(outputTo(screen(), screen()).handOver(value, render, true)).rejects.toThrow('a fault of ours')
    expect(calls).toEqual(['given back'])
  })
})

describe('refusals and remarks', () => {
  const refused = { ok: false, error: { code: 'BAD_INPUT', message: 'no \u001b[31mway', hint: 'do\nthis' } } as const

  it('go to stderr with what to do', async () => {
    const [stdout, stderr] = [screen(), screen()]
    await outputTo(stdout, stderr).refuse(refused)
    expect(stdout.text()).toBe('')
    expect(stderr.text()).toBe('session-mcp: no way\n  do this\n')
  })

  it('speak of commands to people and of tools to programs', async () => {
    const hint = 'See list_sessions or read_inbox{history}; "list_sessions" stays.'
    const told = { ok: false, error: { code: 'BAD_INPUT', message: 'x', hint } } as const
    const [text, json] = [screen(), screen()]
    await outputTo(screen(), text).refuse(told)
    expect(text.text()).toContain('See session-mcp list or session-mcp inbox --history; "list_sessions" stays.')
    await outputTo(json, screen(), { isJson: true }).refuse(told)
    expect(JSON.parse(json.text()).error.hint).toBe(hint)
  })

  it('are the same JSON as a tool gives with --json', async () => {
    const [stdout, stderr] = [screen(), screen()]
    await outputTo(stdout, stderr, { isJson: true }).refuse(refused)
    expect(JSON.parse(stdout.text())).toEqual(refused)
    expect(stderr.text()).toBe('')
  })

  it('progress is one line that disappears, and only where a person watches', async () => {
    const [stdout, watched, silent] = [screen(), screen({ isTTY: true, columns: 20 }), screen()]
    const out = outputTo(stdout, watched, { color: false })
    out.progress('1/2 done: waiting for reviewer and builder')
    await out.answer({}, () => 'over')
    expect(watched.text()).toBe('\r\u001b[2K1/2 done: waiting …\r\u001b[2K')
    outputTo(screen(), silent).progress('1/2 done')
    expect(silent.text()).toBe('')
  })
})
