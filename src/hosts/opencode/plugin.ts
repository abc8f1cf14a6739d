/** The hooks of OpenCode, each translated into a moment of the host-neutral contract. What is said is decided in core. */

import { attached } from '../../core/attach.ts'
import { createHostPlugin } from '../../core/attend.ts'
import type { Context } from '../../core/context.ts'
import { type Conversation, type HostTraits, type Notice, silenced } from '../../core/host-plugin.ts'
import type { ProcessRef } from '../../core/ports.ts'
import { workOff } from '../../core/queue.ts'
import { type Client, sessionOf, startTurn } from './client.ts'
import { executorOf, modeOf, performAction } from './executor.ts'
import { failingOpen, type Hook } from './fail-open.ts'
import { opencode } from './host.ts'
import type { Openings } from './openings.ts'
import { isForTitle, type OpencodeEvent, promptIn, readEvent, type SessionInfo, sessionIn, toolsOf } from './payload.ts'
import { createTalks, type Talk } from './talks.ts'
import { watchWakes } from './wake-watch.ts'

export interface OpencodeDeps {
  readonly context: Context
  readonly client: Client
  /** Where OpenCode works; its sessions say it themselves, too. */
  readonly directory: string
  /** The process of OpenCode: the plugin runs inside. */
  readonly self: ProcessRef
  /** The terminal it was started in. */
  readonly place?: Pick<Conversation, 'pane' | 'terminal'>
  /** The words OpenCode was started with. */
  readonly argv: readonly string[]
  readonly openings: Openings
  /** Our server as it lies beside the plugin. */
  readonly serverScript: string
  /** How long a hook may hold OpenCode up, ms. */
  readonly limitMs?: number
  log(level: 'error' | 'warn', event: string, facts: Readonly<Record<string, unknown>>): void
}

const WAITS: Readonly<Record<string, Notice>> = {
  'permission.asked': 'needs_permission',
  'permission.replied': 'working',
  'question.asked': 'needs_input',
  'question.replied': 'working',
  'question.rejected': 'working',
}

/** Every hook resolves, whatever happens: a fault is a line in the log and nothing else. */
export function createOpencodeHooks(deps: OpencodeDeps): Record<string, Hook> {
  const { context, client, log } = deps
  let version: string | undefined
  const performing = {
    client,
    mode: modeOf(deps.argv),
    openings: deps.openings,
    folder: context.projects.resolve(deps.directory).path,
  }
  const executor = executorOf(deps.self, performing)
  const traits = {
    kind: opencode.kind,
    injection: 'per-request',
    doors: opencode.doors,
    sharesClient: true,
    executor,
    // Only its sessions say which version made them.
    get version() {
      return version
    },
  } as HostTraits
  const fault = (moment: string, cause: unknown) => log('error', 'hook', { host: opencode.kind, moment, fault: cause })
  const plugin = silenced(createHostPlugin(context, traits), fault)
  const told = new Set<string>()
  /** What a version that we do not know does differently, once each. */
  const strange = (what: string) => {
    if (told.has(what)) return
    told.add(what)
    log('warn', 'strange', { host: opencode.kind, version: version ?? 'unknown', what })
  }
  let isOurTool = toolsOf(undefined, deps.serverScript)
  const byWakeFile = new Map<string, Talk>()
  const tails = new Map<string, Promise<unknown>>()

  /** One after the other for each conversation of a person: an idle must not overtake the prompt after it. */
  function inTurn<T>(talk: Talk, work: () => Promise<T>): Promise<T> {
    const after = (tails.get(talk.root.id) ?? Promise.resolve()).then(work)
    tails.set(
      talk.root.id,
      after.catch(() => undefined),
    )
    return after
  }

  const watch = watchWakes((file) => {
    const talk = byWakeFile.get(file)
    if (talk !== undefined) wake(talk).catch((cause) => fault('wake', cause))
  })

  let queue: ReturnType<typeof workOff> | undefined
  const talks = createTalks({
    plugin,
    sessionOf: async (id) => {
      const info = await sessionOf(client, id)
      version ??= info?.version
      return info
    },
    directory: deps.directory,
    self: deps.self,
    place: deps.place ?? {},
    tokenOf: deps.openings.tokenOf,
    opened(talk) {
      // Not before: a plugin that was only loaded leaves no queue behind.
      queue ??= workOff(context, {
        id: executor.id,
        perform: (action) => performAction(action, performing),
        report: (cause) => fault('action', cause),
      })
      byWakeFile.set(talk.wakeFile, talk)
      watch.add(talk.wakeFile)
      // What was sent between its start and the watch.
      wake(talk).catch((cause) => fault('wake', cause))
    },
  })

  async function wake(talk: Talk): Promise<void> {
    const text = await inTurn(talk, async () => (talk.isBusy ? undefined : plugin.onWake(talk.conversation)))
    if (text === undefined) return
    // With what its last turn ran with: otherwise OpenCode takes its default agent, and a session in plan mode would write.
    const { agent = talk.agent, model } = (await sessionOf(client, talk.id)) ?? {}
    await startTurn(client, talk.id, text, { agent, model })
  }

  async function deleted(id: string): Promise<void> {
    const talk = await talks.known(id)
    talks.drop(id)
    if (talk === undefined || talk.root !== talk) return
    byWakeFile.delete(talk.wakeFile)
    watch.drop(talk.wakeFile)
    await inTurn(talk, () => plugin.onEnd(talk.conversation, 'deleted'))
    tails.delete(id)
  }

  /** Only that it is put away now counts: a person may go on in a session that was archived before. */
  async function updated({ id, isArchived }: SessionInfo): Promise<void> {
    const talk = await talks.known(id)
    if (talk === undefined || talk.root !== talk || talk.isArchived === isArchived) return
    talk.isArchived = isArchived
    if (isArchived) await inTurn(talk, () => plugin.onEnd(talk.conversation, 'archived'))
  }

  async function idle(talk: Talk): Promise<void> {
    const { isBroken, pending } = talk
    Object.assign(talk, { isBusy: false, pending: undefined })
    // The turn ended before it asked the model; that it began is true all the same.
    if (pending !== undefined) await plugin.onSend(talk.conversation, pending)
    if (isBroken) return plugin.onNotice(talk.conversation, 'idle')
    if (pending !== undefined) strange('a turn without experimental.chat.system.transform')
    // OpenCode cannot hold a turn open; mail that must not wait touches the wake file, and that starts the next one.
    await plugin.onContinue(talk.conversation, { at: 'stop', isHeld: true })
  }

  async function event({ type, sessionId, info, status }: OpencodeEvent): Promise<void> {
    version ??= info?.version
    if (type === 'session.created') {
      if (info === undefined) return strange('session.created without a session')
      await talks.create(info)
      return
    }
    if (sessionId === undefined) return
    if (type === 'session.deleted') return deleted(sessionId)
    if (type === 'session.updated') return info === undefined ? undefined : updated(info)
    const notice = Object.hasOwn(WAITS, type) ? WAITS[type] : undefined
    const isTurn = type === 'session.status' || type === 'session.idle' || type === 'session.error'
    if (notice === undefined && !isTurn) return
    const talk = await talks.of(sessionId)
    if (talk === undefined) return
    // A subagent that waits for the person keeps the session waiting; its turns are none of the session's.
    if (notice !== undefined) return inTurn(talk, () => plugin.onNotice(talk.root.conversation, notice))
    if (talk.root !== talk) return
    if (type === 'session.error') talk.isBroken = true
    else if (type === 'session.idle') await inTurn(talk, () => idle(talk))
    else if (status === 'busy' && !talk.isBusy) {
      talk.isBusy = true
      await inTurn(talk, async () => (talk.isBusy ? plugin.onNotice(talk.conversation, 'working') : undefined))
    }
  }

  const hooks: Record<string, Hook> = {
    async config(config) {
      isOurTool = toolsOf(config, deps.serverScript)
    },
    async event(input) {
      const read = readEvent(input)
      if (read === undefined) return strange('an event without a type')
      await event(read)
    },
    async 'chat.message'(input, output) {
      const { prompt, agent } = promptIn(output)
      const id = sessionIn(input)
      if (id === undefined) return strange('chat.message without a sessionID')
      const talk = await talks.of(id)
      if (talk === undefined || talk.root !== talk) return
      Object.assign(talk, { isBroken: false, agent: agent ?? talk.agent })
      // No turn yet: a message may be noted down without one. Of two in one turn both count.
      await inTurn(talk, async () => {
        talk.pending = talk.pending === undefined ? prompt : `${talk.pending}\n${prompt}`
      })
    },
    async 'experimental.chat.system.transform'(input, output) {
      const { system } = output as { system?: unknown }
      if (!Array.isArray(system)) return strange('experimental.chat.system.transform without a list')
      const id = sessionIn(input)
      // Made for no session, such as the description of a new agent.
      if (id === undefined || isForTitle(system)) return
      const talk = await talks.of(id)
      if (talk === undefined || talk.root !== talk) return
      await inTurn(talk, async () => {
        const { conversation, pending } = talk
        talk.pending = undefined
        // Looked up for the request, not at the prompt: seconds lie between the two at times.
        const said =
          pending === undefined
            ? await plugin.onContinue(conversation, { at: 'tools' })
            : await plugin.onSend(conversation, pending)
        // Two copies of the plugin, one from a project and one from the person's settings, say it once.
        if (said !== undefined && !system.includes(said.text)) system.push(said.text)
      })
    },
    async 'tool.execute.before'(input, output) {
      const { tool } = input as { tool?: unknown }
      if (typeof tool !== 'string' || !isOurTool(tool)) return
      const { args } = output as { args?: Record<string, unknown> }
      const id = sessionIn(input)
      if (args === undefined || args === null || id === undefined)
        return strange('tool.execute.before without args or a sessionID')
      // What a model wrote there itself.
      delete args['_session']
      delete args['_agent']
      const talk = await talks.of(id)
      const entry = talk && (await attached(context, talk.root.conversation))
      if (talk === undefined || entry === undefined) return
      args['_session'] = entry.session.id
      if (talk.root !== talk) args['_agent'] = id
    },
    async dispose() {
      watch.close()
      queue?.close()
    },
  }
  return Object.fromEntries(
    Object.entries(hooks).map(([name, hook]) => [name, failingOpen(name, hook, fault, deps.limitMs)]),
  )
}
