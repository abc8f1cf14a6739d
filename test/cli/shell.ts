/** The built executable as a real process, on a home of its own. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProcessRef } from '../../src/core/ports.ts'
import type { Status } from '../../src/core/session.ts'
import { type OpenedBus, openBus } from '../../src/open.ts'

export const EXECUTABLE = fileURLToPath(new URL('../../dist/index.js', import.meta.url))

/** How long a condition may take to come true: a net for what never will, far above what any machine needs. */
export const PATIENCE_MS = 120_000

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
}

export interface Shell {
  readonly home: string
  /** The same bus, in this process: to look at what the commands did. */
  readonly opened: OpenedBus
  start(args: readonly string[], options?: RunOptions): ChildProcess
  run(args: readonly string[], options?: RunOptions): Promise<Ran>
  json(args: readonly string[], options?: RunOptions): Promise<unknown>
  /** Registers a session. Without a client it is nobody’s shell. */
  register(
    id: string,
    more?: { readonly name?: string; readonly status?: Status; readonly client?: ProcessRef },
  ): Promise<void>
  /** Leaves a message, as the person. */
  mail(to: string, content: string): Promise<string>
  unread(id: string): Promise<number>
  close(): void
}

export async function openShell(): Promise<Shell> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'session-mcp-cli-'))
  const opened = await openBus({ home, durability: 'process' })
  const { bus, store } = opened
  const shell: Shell = {
    home,
    opened,
    start(args, { env } = {}) {
      const { PATH = '' } = process.env
      return spawn(process.execPath, [EXECUTABLE, '--home', home, '--durability=process', ...args], {
        env: { PATH, HOME: home, ...env },
      })
    },
    async run(args, options = {}) {
      const child = shell.start(args, options)
      child.stdin?.on('error', () => {}) // refused before it read all of it
      child.stdin?.end(options.input ?? '')
      return finished(child)
    },
    async json(args, options) {
      const { stdout } = await shell.run([...args, '--json'], options)
      return JSON.parse(stdout)
    },
    async register(id, { name, status, client } = {}) {
      const host = { kind: 'generic', doors: [], ...(client && { client }) }
      const caller = await bus.identify({
        connection: { named: new Set() },
        argument: id,
        argumentMeans: 'registers',
        host,
      })
      await bus.update(caller, { task: `Task of ${id}`, projectPath: home, name, status })
    },
    async mail(to, content) {
      return (await bus.send({ kind: 'human' }, { to: [to], content })).messageId
    },
    async unread(id) {
      return (await store.inbox.unread(id)).ids.length
    },
    close() {
      opened.close()
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return shell
}

export function finished(child: ChildProcess): Promise<Ran> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    )
  })
}
