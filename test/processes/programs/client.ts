/** An MCP client that is a process of its own, so that it can die: it starts servers, which live and end with it. */

import fs from 'node:fs'
import { connectServer, type ServerLink, type ServerOrder } from '../lab/mcp.ts'
import { serve } from './serve.ts'

const links = new Map<string, ServerLink>()

interface Named {
  readonly server?: string
}

function linkOf({ server = 'one' }: Named): ServerLink {
  const link = links.get(server)
  if (link === undefined) throw new Error(`no server ${server}`)
  return link
}

serve({
  async start(input: Named & ServerOrder) {
    const link = await connectServer(input)
    links.set(input.server ?? 'one', link)
    return link.pid
  },
  call(input: Named & { name: string; args?: object }) {
    return linkOf(input).call(input.name, input.args)
  },
  listTools(input: Named) {
    return linkOf(input).client.listTools()
  },
  /** Ends the server's input, as clients do that go away in peace. @returns how the server ended. */
  endInput(input: Named) {
    linkOf(input).server.stdin?.end()
    return linkOf(input).ended
  },
  /** Stops reading, as if this side of the pipe had crashed. */
  closeOutput(input: Named) {
    linkOf(input).server.stdout?.destroy()
  },
  /** Writes without waiting for an answer. */
  write(input: Named & { line: string }) {
    linkOf(input).server.stdin?.write(`${input.line}\n`)
  },
  signal(input: Named & { signal: NodeJS.Signals }) {
    linkOf(input).server.kill(input.signal)
    return linkOf(input).ended
  },
  ended(input: Named) {
    return linkOf(input).ended
  },
  /** Takes one inotify instance of this user, for as long as this process lives. */
  holdWatch(directory: string) {
    fs.watch(directory, () => undefined)
  },
})
