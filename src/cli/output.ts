/** The only way out: text for people or one JSON document, whole, or the knowledge that nobody reads it any more. */

import { fstatSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { HandOver } from '../core/bus.ts'
import { BusError, type Refusal } from '../core/errors.ts'
import { createPaint, type Paint } from './paint.ts'
import { oneLine, safeAnswer, safeJson } from './safe-text.ts'
import { inCommandWords } from './tool-words.ts'
import { cut } from './width.ts'

/** What a text is made for. */
export interface View {
  /** Infinite where nobody looks at columns. */
  readonly columns: number
  readonly paint: Paint
  readonly nowMs: number
  readonly userHome: string
}

/** Gets the answer with every text in it safe for a terminal; gives lines without the last line end. */
export type Render<T> = (answer: T, view: View) => string

export interface Output {
  readonly isJson: boolean
  /** True where a person watches stderr: only then is there progress. */
  readonly isWatched: boolean
  readonly view: View
  answer<T>(answer: T, render: Render<T>): Promise<void>
  /** Prints an answer, then says whether it got out: what it `consumes` is consumed only then. */
  handOver<T>(handOver: HandOver<T>, render: Render<T>, consumes: boolean): Promise<void>
  /** A remark beside the answer, to stderr. */
  note(text: string): Promise<void>
  /** One line on a watched stderr, replacing the one before; undefined takes it away. */
  progress(text: string | undefined): void
  refuse(refusal: Refusal): Promise<void>
}

/** Nobody reads what we write: no fault, and nothing more to do. */
export class ReaderGone extends Error {}

export interface OutputOptions {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly isJson: boolean
  readonly color: boolean
  readonly userHome: string
}

const CHUNK_BYTES = 64 * 1024
/**
 * How long the last byte is held back where an answer consumes something (ms). A pipe takes 64 KiB without anybody
 * reading: only a later write tells that `head` has gone. Measured: it goes within 2 ms of its first line, on an idle
 * machine.
 */
const READER_MS = 100
const CLEAR_LINE = '\r\u001b[2K'

export function createOutput({ stdout, stderr, isJson, color, userHome }: OutputOptions): Output {
  const toStdout = writer(stdout)
  const toStderr = writer(stderr)
  const paint = createPaint(color && !isJson && stdout.isTTY === true)
  const errorPaint = createPaint(color && !isJson && stderr.isTTY === true)
  const view: View = { columns: columnsOf(stdout), paint, nowMs: Date.now(), userHome }
  let hasProgress = false

  const progress = (text: string | undefined): void => {
    if (stderr.isTTY !== true || (text === undefined && !hasProgress)) return
    hasProgress = text !== undefined
    stderr.write(
      text === undefined ? CLEAR_LINE : CLEAR_LINE + errorPaint.faint(cut(oneLine(text), columnsOf(stderr) - 1)),
    )
  }
  const format = <T>(answer: T, render: Render<T>): string =>
    isJson ? safeJson(answer, stdout.isTTY ? 2 : undefined) : render(safeAnswer(answer), { ...view, nowMs: Date.now() })
  const remark = async (text: string): Promise<void> => {
    progress(undefined)
    await toStderr(`${text}\n`)
  }

  return {
    isJson,
    isWatched: stderr.isTTY === true,
    view,
    progress,
    async answer(answer, render) {
      progress(undefined)
      await toStdout(`${format(answer, render)}\n`)
    },
    async handOver(handOver, render, consumes) {
      progress(undefined)
      try {
        await toStdout(format(handOver.answer, render))
        if (consumes && isPipe(stdout)) await pause(READER_MS)
        await toStdout('\n')
      } catch (fault) {
        await handOver.notHandedOver()
        throw fault
      }
      await handOver.handedOver()
    },
    note: (text) => remark(errorPaint.faint(oneLine(text))),
    async refuse(refusal) {
      if (isJson) return toStdout(`${safeJson(refusal, stdout.isTTY ? 2 : undefined)}\n`)
      const said = (text: string) => inCommandWords(oneLine(text))
      const { message, hint } = refusal.error
      await remark(`${errorPaint.bad('session-mcp:')} ${said(message)}\n  ${said(hint)}`)
    },
  }
}

function columnsOf(stream: NodeJS.WriteStream): number {
  return stream.isTTY === true ? stream.columns || 80 : Number.POSITIVE_INFINITY
}

function isPipe(stream: NodeJS.WriteStream): boolean {
  try {
    const { fd } = stream as NodeJS.WriteStream & { readonly fd: number }
    const stat = fstatSync(fd)
    return stat.isFIFO() || stat.isSocket()
  } catch {
    return false // not a descriptor of this process: a test's stream
  }
}

/** Writes whole texts one after the other; resolves once the system has taken the last byte. */
function writer(stream: NodeJS.WriteStream): (text: string) => Promise<void> {
  stream.on('error', () => {}) // told by the write that failed; without a listener Node would print a trace
  return async (text) => {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      await new Promise<void>((resolve, reject) => {
        stream.write(bytes.subarray(at, at + CHUNK_BYTES), (fault) => (fault ? reject(told(fault)) : resolve()))
      })
    }
  }
}

const GONE = new Set(['EPIPE', 'ECONNRESET', 'EOF', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'])

function told(fault: Error): Error {
  const { code = '' } = fault as NodeJS.ErrnoException
  if (GONE.has(code)) return new ReaderGone(fault.message, { cause: fault })
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return fault
  const hint = 'Make room, or write it somewhere else.'
  return new BusError('DISK_FULL', `The answer could not be written (${code}).`, hint, { cause: fault })
}
