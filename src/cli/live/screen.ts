/** The only file that knows the terminal library: it lays a frame out, and says which keys were pressed. */

import { Box, render, Text, useInput } from 'ink'
import { createElement } from 'react'
import type { Frame } from './frame.ts'
import { createKeyReader, type Key, onlyKeys, type Pressed } from './key.ts'
import type { Streams, Terminal } from './terminal.ts'

export interface Screen {
  show(frame: Frame): void
  close(): void
}

interface Shown {
  readonly frame: Frame
  readonly rows: number
  readonly onKey: (input: string, pressed: Pressed) => void
}

function Screenful({ frame, rows, onKey }: Shown) {
  useInput(onKey)
  const lines = frame.lines.map((line, i) =>
    // An empty text would take no row at all. The place of a line is what it is known by.
    createElement(Text, { key: i, wrap: 'truncate-end' }, line === '' ? ' ' : line),
  )
  return createElement(Box, { flexDirection: 'column', height: rows, overflow: 'hidden' }, lines)
}

/** The stream, but that only keys are read from it. A sequence that comes in two parts waits for its end. */
function keysOf(stdin: NodeJS.ReadStream): NodeJS.ReadStream {
  let begun = ''
  const read = () => {
    const chunk: unknown = stdin.read()
    if (typeof chunk !== 'string') return chunk
    const sent = begun + chunk
    begun = /\u001b+[[O]\d[\d;]*$/.exec(sent)?.[0] ?? ''
    return onlyKeys(sent.slice(0, sent.length - begun.length))
  }
  return new Proxy(stdin, {
    get(target, name) {
      if (name === 'read') return read
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

export function openScreen(terminal: Terminal, { stdin }: Pick<Streams, 'stdin'>, onKey: (key: Key) => void): Screen {
  const readKeys = createKeyReader()
  let cursor: Frame['cursor']
  let isClosed = false
  const stdout = terminal.face((text) => {
    if (!isClosed) terminal.draw(text, cursor)
  })
  const pressed = (input: string, flags: Pressed) => {
    for (const key of readKeys(input, flags)) onKey(key)
  }
  const element = (frame: Frame) => createElement(Screenful, { frame, rows: terminal.size().rows, onKey: pressed })
  const instance = render(element({ lines: [] }), {
    stdin: keysOf(stdin),
    stdout,
    stderr: stdout,
    exitOnCtrlC: false,
    patchConsole: false,
    isScreenReaderEnabled: false,
    // Each frame is handed over whole. The library's own way of replacing one by the next is made for output among
    // other output: on a full screen it clears the history of the terminal.
    debug: true,
  })
  return {
    show(frame) {
      cursor = frame.cursor
      instance.rerender(element(frame))
    },
    close() {
      isClosed = true
      instance.unmount()
    },
  }
}
