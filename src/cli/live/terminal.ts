/** The terminal as a whole screen: entered, drawn on line by line, and left exactly as it was found, however the program ends. */

import { EventEmitter } from 'node:events'
import type { Frame } from './frame.ts'
import type { Size } from './state.ts'

/** xterm's "Control Sequences", read 2026-11. The other screen; entering it saves the cursor, so it is entered once. */
const SCREEN = '\u001b[?1049h'
/** Pastes are marked, nothing wraps at the edge, no cursor, and nothing on the screen. */
const MODES = '\u001b[?2004h\u001b[?7l\u001b[?25l\u001b[2J'
const LEAVE = '\u001b[0m\u001b[?25h\u001b[?7h\u001b[?2004l\u001b[?1049l'
/** How long a stop may take before it is taken for one that the system refused, as it does without a shell (ms). */
const STOP_MS = 200

export interface TerminalEvents {
  resized(size: Size): void
  /** Terminated, hung up or interrupted from outside: the terminal is already left, and the process ends after this. */
  ended(signal: NodeJS.Signals): void
}

export interface Terminal {
  size(): Size
  /** Draws what differs from the frame before. `text` has its lines laid out. */
  draw(text: string, cursor: Frame['cursor']): void
  /** Draws everything again at the next frame, on an empty screen. */
  forget(): void
  /** Gives the terminal back to the shell until it brings us to the foreground again. */
  suspend(): void
  leave(): void
  /** A stream for a library that writes whole frames: they go to `frame`. */
  face(frame: (text: string) => void): NodeJS.WriteStream
}

export interface Streams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

export function openTerminal({ stdin, stdout }: Streams, events: TerminalEvents): Terminal {
  let drawn: string[] = []
  let isEntered = false
  let isOver = false
  const write = (text: string) => {
    try {
      stdout.write(text)
    } catch {
      // the terminal is gone, and with it everything that could be restored
    }
  }
  const size = (): Size => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 })
  const setRaw = (isRaw: boolean) => {
    try {
      stdin.setRawMode(isRaw)
    } catch {
      // gone, as above
    }
  }
  const enter = () => {
    // Stopped from outside, we never left.
    write(isEntered ? MODES : SCREEN + MODES)
    isEntered = true
    drawn = []
  }
  const leave = () => {
    if (!isEntered) return
    isEntered = false
    write(LEAVE)
    setRaw(false)
  }
  const resized = () => {
    drawn = []
    // What a terminal keeps of the old lines is its own affair.
    if (isEntered) write('\u001b[2J')
    events.resized(size())
  }
  const continued = () => {
    if (isOver) return
    clearTimeout(refused)
    process.off('SIGTSTP', stop)
    process.on('SIGTSTP', stop)
    // Whoever was in the foreground meanwhile may have set other modes, and the library thinks that nothing has changed.
    setRaw(false)
    setRaw(true)
    enter()
    events.resized(size())
  }
  let refused: NodeJS.Timeout | undefined
  const stopAs = (pid: number) => {
    leave()
    process.off('SIGTSTP', stop)
    refused = setTimeout(continued, STOP_MS)
    process.kill(pid, 'SIGTSTP')
  }
  const stop = () => stopAs(process.pid)
  const end = (signal: NodeJS.Signals) => {
    isOver = true
    leave()
    events.ended(signal)
  }
  const crashed = (fault: unknown) => {
    leave()
    // Only now can it be read.
    process.stderr.write(`session-mcp: ${fault instanceof Error ? fault.stack : String(fault)}\n`)
    process.exit(1)
  }

  for (const signal of SIGNALS) process.on(signal, end)
  process.on('SIGCONT', continued)
  process.on('SIGTSTP', stop)
  process.on('exit', leave)
  process.on('uncaughtException', crashed)
  stdout.on('resize', resized)
  stdout.on('error', () => end('SIGHUP'))
  stdin.on('error', () => end('SIGHUP'))
  stdin.on('end', () => end('SIGHUP'))
  enter()

  return {
    size,
    leave() {
      isOver = true
      leave()
    },
    forget() {
      drawn = []
      if (isEntered) write('\u001b[2J')
    },
    suspend() {
      // To the whole job, as the terminal itself would.
      if (process.platform !== 'win32') stopAs(0)
    },
    draw(text, cursor) {
      if (!isEntered) return
      const { rows } = size()
      const lines = text.split('\n').slice(0, rows)
      const changed = Array.from({ length: Math.max(lines.length, drawn.length) }, (_, i) =>
        lines[i] === drawn[i] ? '' : `\u001b[${i + 1};1H\u001b[0m\u001b[2K${lines[i] ?? ''}`,
      ).join('')
      drawn = lines
      const place = cursor === undefined ? '\u001b[?25l' : `\u001b[${cursor.y + 1};${cursor.x + 1}H\u001b[?25h`
      write(`${changed}\u001b[0m${place}`)
    },
    face(frame) {
      const face = Object.assign(new EventEmitter(), {
        isTTY: true,
        write(text: string, ...rest: readonly unknown[]) {
          frame(text)
          const done = rest.at(-1)
          if (typeof done === 'function') done()
          return true
        },
      })
      Object.defineProperty(face, 'columns', { get: () => size().columns })
      Object.defineProperty(face, 'rows', { get: () => size().rows })
      return face as unknown as NodeJS.WriteStream
    },
  }
}
