/** A program that does one thing per line it is sent, and answers each with a line. */

import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { createInterface } from 'node:readline'
import { bundleProgram } from './bundle.ts'
import { start } from './processes.ts'

export interface Failure {
  readonly code: string
  readonly message: string
}

/** A refusal or fault of the other side. */
export class RemoteError extends Error {
  readonly code: string

  constructor({ code, message }: Failure) {
    super(`${code}: ${message}`)
    this.name = 'RemoteError'
    this.code = code
  }
}

export interface Remote {
  readonly child: ChildProcess
  readonly pid: number
  /** Asks for `command`; rejects with {@link RemoteError} when it is refused there, with Error when the program ended. */
  ask<T>(command: string, input?: unknown): Promise<T>
  /** Resolves when the process has ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  kill(signal?: NodeJS.Signals): void
}

export interface RemoteOptions extends SpawnOptions {
  readonly args?: readonly string[]
  /** What stands before `node` on the command line, e.g. a shell that sets limits. */
  readonly through?: readonly string[]
}

type Reply = { readonly id: number; readonly value?: unknown; readonly error?: Failure }

/** Starts a program from test/processes/programs, or from where its path says. */
export async function startRemote(program: string, options: RemoteOptions = {}): Promise<Remote> {
  const file = await bundleProgram(program.includes('/') ? `${program}.ts` : `test/processes/programs/${program}.ts`)
  const { args = [], through = [], ...rest } = options
  const [command = '', ...before] = [...through, process.execPath]
  const child = start(command, [...before, file, ...args], rest)
  const { stdin, stdout, pid } = child
  if (stdin === null || stdout === null || pid === undefined) throw new Error(`${program} could not be started`)

  const waiting = new Map<number, { resolve(value: unknown): void; reject(fault: Error): void }>()
  let counter = 0
  let hasEnded = false
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => {
      hasEnded = true
      for (const { reject } of waiting.values()) reject(new Error(`${program} ended (${signal ?? code})`))
      waiting.clear()
      resolve({ code, signal })
    })
  })
  createInterface({ input: stdout }).on('line', (line) => {
    const { id, value, error } = JSON.parse(line) as Reply
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) asked?.resolve(value)
    else asked?.reject(new RemoteError(error))
  })
  return {
    child,
    pid,
    ended,
    ask<T>(name: string, input?: unknown) {
      return new Promise<T>((resolve, reject) => {
        if (hasEnded) return reject(new Error(`${program} has ended`))
        const id = counter++
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
        stdin.write(`${JSON.stringify({ id, command: name, input })}\n`)
      })
    },
    kill(signal = 'SIGKILL') {
      child.kill(signal)
    },
  }
}
