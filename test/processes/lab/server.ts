/** Clients of the built server, each a process of its own. */

import path from 'node:path'
import { type Remote, type RemoteOptions, startRemote } from './remote.ts'

/** What a user would run. Built before the tests. */
export const SERVER = path.resolve('dist/index.js')

export interface TestClient extends Remote {
  /** Starts a server; `name` tells several of one client apart. @returns its pid. */
  startServer(options?: StartOptions): Promise<number>
  call<T>(tool: string, args?: object, server?: string): Promise<T>
}

export interface StartOptions {
  readonly server?: string
  readonly home?: string
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What stands before `node`. */
  readonly through?: readonly string[]
  readonly uid?: number
}

/** A client process; without `home` its servers use the default one of their HOME. */
export async function startClient(home: string | undefined, options: RemoteOptions = {}): Promise<TestClient> {
  const remote = await startRemote('client', options)
  return {
    ...remote,
    startServer({ server, home: own = home, flags = ['--durability=process'], env, through = [], uid } = {}) {
      const [command = process.execPath, ...before] = [...through, process.execPath]
      const args = [...before, SERVER, ...(own === undefined ? [] : [`--home=${own}`]), ...flags]
      return remote.ask<number>('start', { server, command, args, env, uid })
    },
    call(tool, args = {}, server) {
      return remote.ask('call', { server, name: tool, args })
    },
  }
}

/** A client with one server and a registered session. */
export async function startSession(home: string, name: string): Promise<TestClient & { readonly id: string }> {
  const client = await startClient(home)
  await client.startServer()
  const { id } = await client.call<{ id: string }>('update_session', {
    task: `is ${name}`,
    projectPath: '/project',
    name,
  })
  return { ...client, id }
}
