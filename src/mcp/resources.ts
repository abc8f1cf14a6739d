/** Sessions and inboxes as resources: what query_session and a peek of read_inbox return, for clients that attach context. */

import type { JSONRPCRequest, Resource, ResourceTemplate, Result } from '@modelcontextprotocol/sdk/types.js'
import type { SessionRow } from '../core/answers.ts'
import type { Bus } from '../core/bus.ts'
import type { Caller } from '../core/caller.ts'
import { called, fenced } from '../core/fence.ts'
import { quote } from '../core/ids.ts'
import type { RosterWatch } from '../core/roster-watch.ts'
import type { Log } from '../tools/define.ts'
import { jsonLine } from '../tools/result.ts'
import type { Extra } from './calls.ts'
import { RPC, rpcFault, rpcFaultOf } from './messages.ts'

const JSON_TYPE = 'application/json'

export const TEMPLATES: readonly ResourceTemplate[] = [
  {
    uriTemplate: 'session://{id}',
    name: 'session',
    title: 'One session',
    description: 'What query_session returns: declared, observed, unread mail, waits, followers. Id, name or me.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'inbox://{id}',
    name: 'inbox',
    title: 'One inbox',
    description:
      'A peek: unread messages, oldest first, as read_inbox with peek returns them. They stay unread, and are from other sessions, never from the user. Id, name, me or human.',
    mimeType: JSON_TYPE,
  },
]

/** Pages of closed sessions that are passed over in one answer. */
const MOST_PAGES = 20

export interface ResourceSetting {
  readonly bus: Bus
  readonly log: Log
  callerOf(extra: Extra): Promise<Caller>
  /** Tells the client that the list is another one. */
  listChanged(): Promise<void>
}

export interface Resources {
  readonly methods: Readonly<Record<string, (request: JSONRPCRequest, extra: Extra) => Promise<Result>>>
  close(): void
}

export function createResources(setting: ResourceSetting): Resources {
  const { bus, log, callerOf } = setting
  let watching: Promise<RosterWatch | undefined> | undefined
  let isClosed = false

  /** From the first list on: a client that never asked for one has no use for news of it, and a watch is not free. */
  const watch = () => {
    watching ??= bus
      .onRosterChange(() => {
        setting.listChanged().catch((fault) => log('info', 'mcp.list-changed', { fault: String(fault) }))
      })
      .then(
        (watch) => {
          if (isClosed) watch.close()
          return watch
        },
        (fault) => {
          log('warn', 'mcp.resources', { fault: String(fault) })
          watching = undefined // the next list tries again
          return undefined
        },
      )
    return watching
  }

  return {
    methods: {
      async 'resources/list'({ params }, extra) {
        const cursor = params?.['cursor'] ?? undefined
        if (cursor !== undefined && typeof cursor !== 'string')
          throw rpcFault(RPC.invalidParams, 'Invalid params: "cursor" must be the text of nextCursor.')
        await watch()
        return listed(bus, await callerOf(extra), cursor)
      },
      'resources/templates/list': async () => ({ resourceTemplates: TEMPLATES }),
      async 'resources/read'({ params }, extra) {
        const uri = params?.['uri']
        const { kind, id } = parseUri(uri)
        const caller = await callerOf(extra)
        const answer = await (kind === 'session' ? bus.query(caller, id) : peek(bus, caller, id)).catch((fault) => {
          throw rpcFaultOf(fault, { uri })
        })
        return { contents: [{ uri, mimeType: JSON_TYPE, text: jsonLine(answer) }] }
      },
    },
    close() {
      isClosed = true
      void watching?.then((watch) => watch?.close())
    },
  }
}

async function listed(bus: Bus, caller: Caller, cursor: string | undefined): Promise<Result> {
  const own = caller.kind === 'session' ? caller.session : undefined
  const resources: Resource[] = []
  if (own !== undefined && cursor === undefined) {
    resources.push(
      resource('session', own.id, own.name ?? own.id, `This session: ${fenced(own.task)}`),
      resource('inbox', own.id, `inbox of ${called(own.name ?? own.id)}`, 'Unread messages of this session; a peek.'),
    )
  }
  let next = cursor
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await bus.list(caller, { cursor: next }).catch((fault) => {
      throw rpcFaultOf(fault, { cursor })
    })
    const rows = page.sessions.filter((row) => row.finished !== 'closed' && row.id !== own?.id)
    resources.push(...rows.map((row) => resource('session', row.id, row.name ?? row.id, describe(row))))
    next = page.nextCursor
    if (next === undefined || rows.length > 0) break
  }
  return { resources, ...(next !== undefined && { nextCursor: next }) }
}

function resource(kind: 'session' | 'inbox', id: string, name: string, description: string): Resource {
  return { uri: `${kind}://${id}`, name: called(name), description, mimeType: JSON_TYPE }
}

function describe({ status, activity, host, task }: SessionRow): string {
  return `${status}, ${activity}, ${called(host)}: ${fenced(task)}`
}

async function peek(bus: Bus, caller: Caller, id: string): Promise<object> {
  const { answer, notHandedOver } = await bus.read(caller, { inbox: id === 'me' ? undefined : id, peek: true })
  await notHandedOver()
  return answer
}

function parseUri(uri: unknown): { readonly kind: 'session' | 'inbox'; readonly id: string } {
  const [, scheme, text = ''] = /^(session|inbox):\/\/([^/?#]+)\/?$/i.exec(typeof uri === 'string' ? uri : '') ?? []
  const kind = scheme?.toLowerCase() // RFC 3986, section 3.1
  const id = decoded(text)
  if ((kind === 'session' || kind === 'inbox') && id !== undefined) return { kind, id }
  const given = typeof uri === 'string' ? quote(uri) : 'what "uri" holds'
  throw rpcFault(
    RPC.invalidParams,
    `Invalid params: ${given} is no resource of this server. Read session://ID or inbox://ID; resources/list names some.`,
  )
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // a percent sign that begins nothing
  }
}
