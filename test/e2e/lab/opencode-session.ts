/** One session of an OpenCode server, as a client of it sees it. */
import { z } from 'zod'
import type { Server } from './opencode-server.ts'
import { until } from './until.ts'

const Id = z.looseObject({ id: z.string() })

export interface Session {
  readonly id: string
  /** Submits a prompt and does not wait. */
  ask(text: string, more?: Record<string, unknown>): Promise<void>
  /** Submits a prompt; resolves when the turn has ended. */
  say(text: string, more?: Record<string, unknown>): Promise<void>
  /** Resolves when no turn is running. */
  idle(): Promise<void>
}

export async function openSession(server: Server, body: Record<string, unknown> = {}): Promise<Session> {
  const { id } = Id.parse(await server.call('POST', '/session', body))
  const isBusy = async () => Object.hasOwn((await server.call('GET', '/session/status')) as object, id)
  const idle = async () => void (await until(`session ${id} is idle`, async () => !(await isBusy())))
  const ask = async (text: string, more: Record<string, unknown> = {}) => {
    await server.call('POST', `/session/${id}/prompt_async`, { parts: [{ type: 'text', text }], ...more })
  }
  return {
    id,
    ask,
    idle,
    async say(text, more) {
      await server.call('POST', `/session/${id}/message`, { parts: [{ type: 'text', text }], ...more })
      await idle()
    },
  }
}
