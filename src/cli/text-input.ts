/** Text to send, byte for byte as it was given: from an argument, a file or stdin. */

import { open } from 'node:fs/promises'
import { BusError } from '../core/errors.ts'
import { quote } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { wrongUsage } from './options.ts'

export interface StdinText {
  readonly isTerminal: boolean
  /** Everything up to the end, refused above `maxBytes`. */
  read(maxBytes: number): Promise<string>
}

export interface TextSource {
  readonly argument: string | undefined
  readonly file: string | undefined
  readonly stdin: StdinText
}

/**
 * The text, from the one place that has it. `-` means stdin; so does nothing at all, unless a person sits there.
 * @throws BusError BAD_INPUT when there is none, or two; MESSAGE_TOO_LARGE before anything is read to the end.
 */
export async function readText({ argument, file, stdin }: TextSource): Promise<string> {
  const maxBytes = LIMITS.messageBytes
  if (argument !== undefined && file !== undefined) {
    throw wrongUsage('The text is given twice: as an argument and with --file. Nothing was sent.', 'Give one of them.')
  }
  if (file !== undefined && file !== '-') return required(await readFile(file, maxBytes), `The file ${quote(file)}`)
  if (argument !== undefined && argument !== '-') return required(argument, 'The text')
  if (stdin.isTerminal && argument !== '-' && file !== '-') {
    throw wrongUsage(
      'There is no text to send.',
      'Give it in quotes after the recipient, with --file=PATH, or through a pipe.',
    )
  }
  return required(await stdin.read(maxBytes), 'What came from stdin')
}

function required(text: string, what: string): string {
  if (text.trim() !== '') return text
  throw wrongUsage(`${what} is empty. Nothing was sent.`, 'Say something.')
}

export function stdinText(stream: NodeJS.ReadStream): StdinText {
  return {
    isTerminal: stream.isTTY === true,
    async read(maxBytes) {
      const chunks: Buffer[] = []
      let bytes = 0
      for await (const chunk of stream) {
        const part = Buffer.from(chunk)
        chunks.push(part)
        bytes += part.length
        if (bytes > maxBytes) throw tooLarge('What came from stdin', maxBytes)
      }
      return decode(Buffer.concat(chunks), 'What came from stdin')
    },
  }
}

async function readFile(path: string, maxBytes: number): Promise<string> {
  try {
    const file = await open(path)
    try {
      // Not stat: what has no size, such as a pipe, is read all the same, and only as far as it may be sent.
      const buffer = Buffer.alloc(maxBytes + 1)
      let bytes = 0
      for (;;) {
        const { bytesRead } = await file.read(buffer, bytes, buffer.length - bytes, null)
        bytes += bytesRead
        if (bytes > maxBytes) throw tooLarge(`The file ${quote(path)}`, maxBytes)
        if (bytesRead === 0) return decode(buffer.subarray(0, bytes), `The file ${quote(path)}`)
      }
    } finally {
      await file.close()
    }
  } catch (fault) {
    if (fault instanceof BusError) throw fault
    const { code } = fault as NodeJS.ErrnoException
    throw wrongUsage(
      `The file ${quote(path)} cannot be read (${code ?? String(fault)}). Nothing was sent.`,
      'Check the path after --file.',
    )
  }
}

function decode(bytes: Buffer, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw wrongUsage(
      `${what} is not UTF-8 text. Nothing was sent.`,
      'Convert it first, or send the path of the file instead of its content.',
    )
  }
}

function tooLarge(what: string, maxBytes: number): BusError {
  return new BusError(
    'MESSAGE_TOO_LARGE',
    `${what} is longer than the ${maxBytes} bytes one message may hold. Nothing was sent.`,
    'Put it into a file and send its path.',
  )
}

/** Command shells of Windows pass on about this many characters (8191, less what they add) and drop the rest without a word. */
const WINDOWS_LINE = 8_000

/** @throws BusError MESSAGE_TOO_LARGE where an argument may have lost its end on the way to us (case C249). */
export function refuseCutArguments(argv: readonly string[], platform: NodeJS.Platform): void {
  if (platform !== 'win32' || argv.reduce((sum, word) => sum + word.length + 1, 0) < WINDOWS_LINE) return
  throw new BusError(
    'MESSAGE_TOO_LARGE',
    'The command line is so long that Windows may have cut it. Nothing was sent.',
    'Put the text into a file and use --file=PATH, or pass it through a pipe.',
  )
}
