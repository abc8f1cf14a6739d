/** What a session is told at which moment, and what its host’s moments say about it. */

import { type Activity, observe } from './activity.ts'
import { attach, attached } from './attach.ts'
import { bindLate } from './bind-late.ts'
import type { Context } from './context.ts'
import { wake } from './due.ts'
import type { Conversation, HostPlugin, HostTraits, Injection, Notice, Started, StartSource } from './host-plugin.ts'
import { cleanId } from './ids.ts'
import type { Message } from './message.ts'
import { observeAs, observeEnd } from './observing.ts'
import type { Entry } from './ports.ts'
import { turnEnds } from './press.ts'
import { settleGate, ungate } from './prompt-gate.ts'
import { noteSetting } from './setting.ts'
import { NOTHING_SHOWN } from './shown.ts'
import { tell, unreadMessages } from './tell.ts'
import { wakeIdIn } from './wake-text.ts'
import { noteHolder } from './window.ts'

/** The plugin of one host on one bus. */
export function createHostPlugin(context: Context, traits: HostTraits): HostPlugin {
  const ours = async (conversation: Conversation): Promise<Ours | undefined> => {
    if (conversation.isSubagent) return undefined
    const known = await attached(context, conversation)
    if (known !== undefined) {
      const here = await noteHolder(context, known, traits.executor)
      return { entry: await noteSetting(context, here, conversation), isNew: false }
    }
    const entry = await adopt(context, traits, conversation)
    return entry === undefined ? undefined : { entry, isNew: true }
  }
  return {
    async onStart(conversation, source) {
      if (conversation.isSubagent) return undefined
      // A host that does not say where it works registers nothing new.
      if (conversation.projectPath === undefined && (await attached(context, conversation)) === undefined)
        return undefined
      return start(context, traits, conversation, source)
    },
    async onSend(conversation, prompt) {
      const late = await bindLate(context, traits, conversation, prompt)
      const found = late === undefined ? await ours(conversation) : { entry: late, isNew: true }
      if (found === undefined) return undefined
      const { entry, isNew } = found
      await context.store.hosts.unmark(entry.session.host.hostKey)
      const activation = await turnBegins(context, entry, prompt)
      return inject(await tell(context, traits, entry, { at: isNew ? 'start' : 'prompt', activation }))
    },
    async onContinue(conversation, moment) {
      const found = await ours(conversation)
      if (found === undefined) return undefined
      const { entry } = found
      await context.store.hosts.unmark(entry.session.host.hostKey)
      if (moment.at === 'stop') return turnEnds(context, entry, moment, traits.gated === true)
      await observeAs(context, entry, 'working', 'tools ran')
      return inject(await tell(context, traits, entry, { at: 'tools' }))
    },
    async onToolResult(conversation) {
      const injection = await this.onContinue(conversation, { at: 'tools' })
      return injection && { injection }
    },
    async onNotice(conversation, notice) {
      const entry = (await ours(conversation))?.entry
      if (entry === undefined) return
      if (notice === 'idle') return brokenOff(context, entry)
      await observeAs(context, entry, notice, NOTICES[notice])
      // The next hook has something to look at: that the person has answered and work goes on.
      if (notice !== 'working') await context.store.hosts.mark(entry.session.host.hostKey)
    },
    async onWake(conversation) {
      const entry = await attached(context, conversation)
      return entry === undefined ? undefined : wake(context, entry)
    },
    async onEnd(conversation, reason) {
      // The conversation ends, the session does not: the start that follows binds it again.
      if (conversation.isSubagent || reason === 'clear' || reason === 'resume') return
      const entry = await attached(context, conversation)
      // Of a session that goes on in another conversation of the same client, the old one’s end says nothing.
      if (entry === undefined || entry.session.host.hostKey !== cleanId(conversation.hostKey)) return
      await observeEnd(context, entry, 'ended', `session end (${reason})`)
      await ungate(context, entry)
    },
  }
}

const NOTICES: Readonly<Record<Notice, string>> = {
  needs_permission: 'the host waits for the person (needs_permission)',
  needs_input: 'the host waits for the person (needs_input)',
  working: 'the host works',
  idle: 'the turn was broken off',
}

interface Ours {
  readonly entry: Entry
  /** Its start was not seen: it has not been told who it is. */
  readonly isNew: boolean
}

/**
 * A conversation whose start was not seen: the hooks were installed in the middle of it, or its client started with another
 * one, which it branches off (Claude Code before 2.1.3xx says so of a fork).
 */
async function adopt(context: Context, traits: HostTraits, conversation: Conversation): Promise<Entry | undefined> {
  const { projectPath, client } = conversation
  if (projectPath === undefined) return undefined
  const parent = client === undefined ? undefined : await context.store.hosts.ofClient(client)
  return attach(context, traits, conversation, parent === undefined ? 'resume' : 'fork')
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
  // A compaction is no end of a turn: whoever looked at prompts before it does so after it.
  if (traits.gated && source !== 'compact') await settleGate(context, id, conversation.isServed)
  return { sessionId: id, wakeFile, ...(text !== undefined && { injection: { text } }) }
}

/** Some hosts start no turn by themselves then, until the person’s next prompt. */
async function brokenOff(context: Context, { session }: Entry): Promise<void> {
  const nowIso = context.nowIso()
  await context.store.sessions.change(
    session.id,
    ({ activity } = { session, activity: undefined }) =>
      activity && { activity: { ...observe(activity, 'idle', NOTICES.idle, nowIso), cancelledAt: nowIso } },
  )
}

/** A turn begins: woken by us, by the host itself, or by a person. @returns the message that asked for the wake. */
async function turnBegins(context: Context, entry: Entry, prompt: string): Promise<Message | undefined> {
  const wakeId = wakeIdIn(prompt)
  const isHosts = /^\s*<(task-notification|system-reminder)>/.test(prompt)
  const nowIso = context.nowIso()
  // A turn that is broken off has no end. So the gate may note one only after an end was seen.
  await ungate(context, entry)
  await context.store.sessions.change(entry.session.id, (current) => {
    if (current?.activity === undefined) return undefined
    const { cancelledAt: _, ...before } = current.activity
    const { lastWake } = before
    const activity: Activity = {
      ...observe(before, 'working', 'a prompt was submitted', nowIso),
      lastTurn: nowIso,
      ...(wakeId === undefined && !isHosts && { lastHumanPrompt: nowIso }),
      ...(lastWake !== undefined && lastWake.wakeId === wakeId && { lastWake: { ...lastWake, turnAt: nowIso } }),
    }
    return { activity }
  })
  await context.store.hosts.endTurn(entry.session.host.hostKey)
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

function inject(text: string | undefined): Injection | undefined {
  return text === undefined ? undefined : { text }
}
