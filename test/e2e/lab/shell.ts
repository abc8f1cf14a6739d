/** The command line, as the person at this machine uses it. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { entry } from './host.ts'
import type { Place } from './place.ts'

const run = promisify(execFile)

const Sent = z.looseObject({
  messageId: z.string(),
  to: z.array(z.looseObject({ wake: z.looseObject({ outcome: z.string(), evidence: z.string() }) })),
})
const Status = z.looseObject({
  recipients: z.array(
    z.looseObject({
      place: z.string(),
      turnStartedAt: z.string().optional(),
      readAt: z.string().optional(),
      evidence: z.string(),
    }),
  ),
})

export async function shell(place: Place, command: string, ...args: string[]): Promise<unknown> {
  const env = { PATH: process.env['PATH'], HOME: place.root, SESSION_MCP_HOME: place.busHome }
  const { stdout } = await run(process.execPath, [entry, command, '--json', ...args], {
    cwd: path.dirname(place.root),
    env,
  })
  return JSON.parse(stdout)
}

/** Leaves a message from the person, and says what was answered. */
export async function send(place: Place, to: string, text: string, ...options: string[]) {
  const sent = Sent.parse(await shell(place, 'send', ...options, to, '--', text))
  return { id: sent.messageId, wake: sent.to[0]?.wake }
}

export async function receipt(place: Place, messageId: string) {
  const [row] = Status.parse(await shell(place, 'status', messageId)).recipients
  if (row === undefined) throw new Error(`message ${messageId} has no recipient`)
  return row
}
