/** A real client of the built server over stdio, on a home of its own, and more of them on the same home. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { onTestFinished } from 'vitest'
import { connectServer, type ServerLink } from '../processes/lab/mcp.ts'
import { makePlace } from '../processes/lab/place.ts'
import { SERVER } from '../processes/lab/server.ts'

export interface Attached extends ServerLink {
  readonly id: string
  readonly name: string
}

export function attachHome(): {
  readonly home: string
  join(name: string, more?: object): Promise<Attached>
  look(): Promise<ServerLink>
} {
  const place = makePlace('attached')
  const links: ServerLink[] = []
  onTestFinished(async () => {
    await Promise.all(links.map((link) => Promise.all([link.client.close(), link.ended])))
    place.remove()
  })
  const look = async () => {
    const link = await connectServer({ args: [SERVER, `--home=${place.home}`, '--durability=process'] })
    links.push(link)
    return link
  }
  return {
    home: place.home,
    look,
    async join(name, more = {}) {
      const link = await look()
      const args = { task: `is ${name}`, projectPath: '/project', name, sessionId: name, ...more }
      const { id } = await link.call<{ id: string }>('update_session', args)
      return { ...link, id, name }
    },
  }
}

/** The one JSON document of a resource. */
export async function readJson(client: Client, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri })
  const [only, ...more] = contents
  if (only === undefined || more.length > 0 || !('text' in only)) throw new Error(`${contents.length} contents`)
  if (only.uri !== uri || only.mimeType !== 'application/json') throw new Error(`${only.uri} ${only.mimeType}`)
  return JSON.parse(only.text)
}

/** The error of a call, as the client got it. */
export async function faultOf(call: Promise<unknown>): Promise<{ code: number; message: string; data: unknown }> {
  const fault: unknown = await call.then(
    () => new Error('it was answered'),
    (caught: unknown) => caught,
  )
  return fault as { code: number; message: string; data: unknown }
}
