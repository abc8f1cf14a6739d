/** What a session is told at which moment, and what its host’s moments say about it. */

import { type Activity, type ActivityState, observe } from './activity.ts'
import { attach, attached } from './attach.ts'
import type { Context } from './context.ts'
import { changesFor, noticesFor } from './follow.ts'
import type {
  ContinueMoment,
  Conversation,
  HostPlugin,
  HostTraits,
  Injection,
  Started,
  StartSource,
} from './host-plugin.ts'
import { cleanId } from './ids.ts'
import { LIMITS } from './limits.ts'
import type { Message } from './message.ts'
import type { Entry } from './ports.ts'
import { compose } from './reminder.ts'
import { isClosed, label } from './session.ts'
import { forgetRead, NOTHING_SHOWN } from './shown.ts'
import { wakeIdIn, wakeText } from './wake-text.ts'

/** The plugin of one host on one bus. */
export function createHostPlugin(context: Context, traits: HostTraits): HostPlugin {
  const ours = async (conversation: Conversation): Promise<Entry | undefined> => {
    if (conversation.isSubagent) return undefined
    return (await attached(context, conversation)) ?? (await adopt(context, traits, conversation))
  }
  return {
    async onStart(conversation, source) {
      if (conversation.isSubagent) return undefined
      return start(context, traits, conversation, source)
    },
    async onSend(conversation, prompt) {
      const entry = await ours(conversation)
      if (entry === undefined) return undefined
      await context.store.hosts.unmark(entry.session.host.hostKey)
      const activation = await turnBegins(context, entry, prompt)
      return inject(await tell(context, traits, entry, { at: 'prompt', activation }))
    },
    async onContinue(conversation, moment) {
      const entry = await ours(conversation)
      if (entry === undefined) return undefined
      await context.store.hosts.unmark(entry.session.host.hostKey)
      if (moment.at === 'stop') return turnEnds(context, entry, moment)
      await observeAs(context, entry, 'working', 'tools ran')
      return inject(await tell(context, traits, entry, { at: 'tools' }))
    },
    async onNotice(conversation, waitsFor) {
      const entry = await ours(conversation)
      if (entry !== undefined) await observeAs(context, entry, waitsFor, `the host waits for the person (${waitsFor})`)
    },
    async onWake(conversation) {
      const entry = await attached(context, conversation)
      return entry === undefined ? undefined : wake(context, entry)
    },
    async onEnd(conversation, reason) {
      // The conversation ends, the session does not: the start that follows binds it again.
      if (reason === 'clear' || reason === 'resume') return
      const entry = await attached(context, conversation)
      // Of a session that goes on in another conversation of the same client, the old one’s end says nothing.
      if (entry === undefined || entry.session.host.hostKey !== cleanId(conversation.hostKey)) return
      await observeAs(context, entry, 'ended', `session end (${reason})`)
    },
  }
}

/** A conversation whose start was not seen, because the hooks were installed in the middle of it. */
async function adopt(context: Context, traits: HostTraits, conversation: Conversation): Promise<Entry | undefined> {
  return conversation.projectPath === undefined ? undefined : attach(context, traits, conversation, 'resume')
}

async function start(
  context: Context,
  traits: HostTraits,
  conversation: Conversation,
  source: StartSource,
): Promise<Started> {
  const entry = await attach(context, traits, conversation, source)
  const { id, host } = entry.session
  // What a compaction or a clear took away has to be said again; a resumed conversation still holds it.
  if (source !== 'resume') await context.store.shown.change(id, ({ sessions }) => ({ ...NOTHING_SHOWN, sessions }))
  const wakeFile = await context.store.hosts.touchWake(host.hostKey)
  const text = await tell(context, traits, entry, { at: 'start' })
  return { sessionId: id, wakeFile, ...(text !== undefined && { injection: { text } }) }
}

/** A turn begins: woken by us, by the host itself, or by a person. @returns the message that asked for the wake. */
async function turnBegins(context: Context, entry: Entry, prompt: string): Promise<Message | undefined> {
  const wakeId = wakeIdIn(prompt)
  const isHosts = /^\s*<(task-notification|system-reminder)>/.test(prompt)
  const nowIso = context.nowIso()
  await context.store.sessions.change(entry.session.id, (current) => {
    if (current?.activity === undefined) return undefined
    const { lastWake } = current.activity
    const activity: Activity = {
      ...observe(current.activity, 'working', 'a prompt was submitted', nowIso),
      lastTurn: nowIso,
      ...(wakeId === undefined && !isHosts && { lastHumanPrompt: nowIso }),
      ...(lastWake !== undefined && lastWake.wakeId === wakeId && { lastWake: { ...lastWake, turnAt: nowIso } }),
    }
    return { activity }
  })
  if (wakeId !== undefined) return activationOf(context, entry)
  if (!isHosts && (await context.store.shown.read(entry.session.id)).holds > 0) {
    await context.store.shown.change(entry.session.id, (shown) => ({ ...shown, holds: 0 }))
  }
  return undefined
}

/** The newest unread message that carries a line for this moment. */
async function activationOf(context: Context, entry: Entry): Promise<Message | undefined> {
  const unread = await unreadMessages(context, entry.session.id)
  return unread.findLast(({ activationMessage }) => activationMessage !== undefined)
}

interface Telling {
  readonly at: 'start' | 'prompt' | 'tools'
  readonly activation?: Message | undefined
}

async function tell(context: Context, traits: HostTraits, entry: Entry, telling: Telling): Promise<string | undefined> {
  const { session } = entry
  const everything = traits.injection === 'per-request'
  const unread = await unreadMessages(context, session.id)
  const changes = await changesFor(context, entry)
  const notices = await noticesFor(context, entry)
  let fresh: readonly Message[] = unread
  const hasTold = unread.length > 0 || (await context.store.shown.read(session.id)).messages.length > 0
  if (hasTold)
    await context.store.shown.change(session.id, (before) => {
      const shown = forgetRead(before, new Set(unread.map(({ id }) => id)))
      if (!everything) fresh = unread.filter(({ id }) => !shown.messages.includes(id))
      if (fresh.length === 0 && shown.messages.length === before.messages.length) return undefined
      return { ...shown, messages: unread.map(({ id }) => id) }
    })
  const [oldest] = unread
  const known = unread.length - fresh.length
  const ageMs = oldest === undefined ? 0 : Math.max(0, context.clock.now() - Date.parse(oldest.sentAt))
  // What was announced before is only counted, and only where a person’s turn begins.
  const recalls = telling.at !== 'tools' || fresh.length > 0
  return compose({
    identity: {
      id: session.id,
      name: session.name,
      task: session.task,
      neighbours: telling.at === 'start' || everything ? await neighbours(context, entry) : [],
    },
    introduce: telling.at === 'start' || everything,
    fresh,
    known: recalls && known > 0 ? { count: known, oldestSeconds: Math.round(ageMs / 1000) } : undefined,
    changes,
    notices,
    activation: telling.activation,
    nowMs: context.clock.now(),
  })
}

async function turnEnds(context: Context, entry: Entry, moment: ContinueMoment): Promise<Injection | undefined> {
  const { id, host } = entry.session
  const background = moment.background ?? 0
  // First idle, then the look: a sender that comes later sees an idle session and wakes it.
  await observeAs(context, entry, background > 0 ? 'working' : 'idle', 'the turn ended', background)
  const unread = await unreadMessages(context, id)
  if (unread.length === 0) return undefined
  let due: readonly Message[] = []
  let holds = false
  await context.store.shown.change(id, (shown) => {
    // Senders are told that a working session hears of it within its turn: this is the last moment for that.
    const isNews = (message: Message) => wantsTurn(message) && !shown.messages.includes(message.id)
    due = unread.filter((message) => !shown.pressed.includes(message.id) && (isPressing(message) || isNews(message)))
    holds = due.length > 0 && !moment.isHeld && shown.holds < LIMITS.holdsInARow
    if (!holds) return undefined
    const seen = due.map((message) => message.id)
    return {
      ...shown,
      holds: shown.holds + 1,
      pressed: [...shown.pressed, ...seen],
      messages: [...new Set([...shown.messages, ...seen])],
    }
  })
  // A turn that was held or woken may not be held again; the wake file starts the next one, if one is due.
  if (due.length > 0 && moment.isHeld) await context.store.hosts.touchWake(host.hostKey)
  if (!holds) return undefined
  await observeAs(context, entry, 'working', 'the turn goes on: mail came')
  const text = compose({
    identity: { id, name: entry.session.name, task: entry.session.task, neighbours: [] },
    introduce: false,
    fresh: due,
    changes: [],
    notices: [],
    nowMs: context.clock.now(),
  })
  return text === undefined ? undefined : { text, continues: true }
}

/** The wake file was touched: is a turn due? A working session is told within its turn, and nobody is woken twice for one message. */
async function wake(context: Context, entry: Entry): Promise<string | undefined> {
  const { id } = entry.session
  const current = await context.find(id)
  const activity = current?.activity
  if (current === undefined || activity === undefined || isClosed(current.session)) return undefined
  if (activity.state === 'working' || activity.state === 'ended' || !current.session.wakeable) return undefined
  const nowMs = context.clock.now()
  const pendingWake = activity.lastWake?.turnAt === undefined ? activity.lastWake : undefined
  if (pendingWake !== undefined && nowMs - Date.parse(pendingWake.at) < LIMITS.wakePatienceMs) return undefined
  const unread = await unreadMessages(context, id)
  const boundAt = (await context.store.hosts.find(current.session.host.hostKey))?.boundAt ?? ''
  let due: readonly Message[] = []
  await context.store.shown.change(id, (shown) => {
    // What lay there when the conversation began was told then, and waits for its first turn.
    const isOld = ({ id: each, sentAt }: Message) => sentAt < boundAt && shown.messages.includes(each)
    due = unread.filter((message) => wantsTurn(message) && !shown.pressed.includes(message.id) && !isOld(message))
    return due.length === 0 ? undefined : { ...shown, pressed: [...shown.pressed, ...due.map((message) => message.id)] }
  })
  const [first] = due
  if (first === undefined) return undefined
  const wakeId = context.random.token(10)
  await context.store.sessions.change(id, (now) =>
    now?.activity === undefined
      ? undefined
      : {
          activity: {
            ...now.activity,
            lastWake: {
              wakeId,
              from: first.from.id,
              at: new Date(nowMs).toISOString(),
              door: now.session.host.doors[0] ?? 'none',
            },
          },
        },
  )
  return wakeText(wakeId, unread.length)
}

function isPressing({ intent, priority }: Message): boolean {
  return intent === 'request' || priority === 'high'
}

function wantsTurn({ activate, intent }: Message): boolean {
  return activate !== 'never' && intent !== 'ack'
}

async function unreadMessages(context: Context, id: string): Promise<readonly Message[]> {
  const { ids } = await context.store.inbox.unread(id)
  const messages: Message[] = []
  for (const messageId of ids) {
    const found = await context.store.inbox.find(id, messageId).catch(() => undefined)
    if (found?.place === 'unread') messages.push(found.message)
  }
  return messages
}

async function neighbours(context: Context, entry: Entry): Promise<readonly string[]> {
  const { projectPath, repoPath, id } = entry.session
  const project = repoPath ?? projectPath
  const { entries } = await context.live()
  return entries
    .filter(
      ({ session }) => session.id !== id && !isClosed(session) && (session.repoPath ?? session.projectPath) === project,
    )
    .filter((other) => context.observe(other).state !== 'ended')
    .map(({ session }) => label(session))
}

async function observeAs(
  context: Context,
  entry: Entry,
  state: ActivityState,
  evidence: string,
  background?: number,
): Promise<void> {
  const nowMs = context.clock.now()
  const { activity } = entry
  const isStale = activity === undefined || nowMs - Date.parse(activity.lastSeenAt) > LIMITS.beatMs
  if (activity?.state === state && !isStale && (background ?? 0) === (activity.background ?? 0)) return
  await context.store.sessions.change(entry.session.id, (current) => {
    if (current?.activity === undefined) return undefined
    const next = observe(current.activity, state, evidence, context.nowIso())
    return { activity: { ...next, ...(background !== undefined && { background }) } }
  })
}

function inject(text: string | undefined): Injection | undefined {
  return text === undefined ? undefined : { text }
}
