/** The conversations of this OpenCode process: which are a subagent's, in whose name they act, and what they run with. */

import type { Conversation, HostPlugin, StartSource } from '../../core/host-plugin.ts'
import type { ProcessRef } from '../../core/ports.ts'
import type { SessionInfo } from './payload.ts'

export interface Talk {
  readonly id: string
  readonly conversation: Conversation
  /** The conversation a person has: itself, or the one that started this subagent. */
  readonly root: Talk
  readonly wakeFile: string
  /** What its last prompt was given to. */
  agent: string | undefined
  isArchived: boolean
  isBusy: boolean
  /** The turn was aborted, or failed: whoever broke it off does not want the next one at once. */
  isBroken: boolean
  /** A prompt whose turn has not asked the model yet. */
  pending: string | undefined
}

export interface TalksDeps {
  readonly plugin: HostPlugin
  /** Asks OpenCode. */
  sessionOf(id: string): Promise<SessionInfo | undefined>
  readonly directory: string
  readonly self: ProcessRef
  readonly place: Pick<Conversation, 'pane' | 'terminal'>
  /** Of a session that was made for a record of the bus. */
  tokenOf(id: string, isNew: boolean): Promise<string | undefined>
  /** A conversation of a person is on the bus from now on. */
  opened(talk: Talk): void
}

export interface Talks {
  /** Undefined where OpenCode does not know it or the bus cannot be reached: asked again the next time. */
  of(id: string): Promise<Talk | undefined>
  /** The same without asking OpenCode. */
  known(id: string): Promise<Talk | undefined>
  /** One that was just created. */
  create(info: SessionInfo): Promise<Talk | undefined>
  drop(id: string): void
}

/** Deeper nested agents are a circle. */
const MAX_DEPTH = 16

export function createTalks(deps: TalksDeps): Talks {
  const talks = new Map<string, Promise<Talk | undefined>>()

  function keep(id: string, open: () => Promise<Talk | undefined>): Promise<Talk | undefined> {
    const known = talks.get(id)
    if (known !== undefined) return known
    const opening = open()
    talks.set(id, opening)
    const forget = (talk: Talk | undefined) => {
      if (talk === undefined && talks.get(id) === opening) talks.delete(id)
    }
    opening.then(forget, () => forget(undefined))
    return opening
  }

  function find(id: string, depth: number): Promise<Talk | undefined> {
    return keep(id, async () => {
      const info = await deps.sessionOf(id)
      return info === undefined ? undefined : open(info, 'resume', depth)
    })
  }

  async function open(info: SessionInfo, source: StartSource, depth: number): Promise<Talk | undefined> {
    const fresh = {
      id: info.id,
      agent: info.agent,
      isArchived: info.isArchived,
      isBusy: false,
      isBroken: false,
      pending: undefined,
    }
    if (info.parentId !== undefined) {
      const parent = depth < MAX_DEPTH ? await find(info.parentId, depth + 1) : undefined
      if (parent === undefined) return undefined
      const { root } = parent
      const conversation = { ...root.conversation, isSubagent: true }
      return { ...fresh, conversation, root, wakeFile: root.wakeFile }
    }
    const { model } = info
    const conversation: Conversation = {
      hostKey: info.id,
      projectPath: info.directory ?? deps.directory,
      // What OpenCode makes of the first prompt is no name; one that it was given at the start is.
      title: source === 'startup' ? info.title : undefined,
      model: model === undefined ? undefined : `${model.providerID}/${model.modelID}`,
      client: deps.self,
      ...deps.place,
      spawn: await deps.tokenOf(info.id, source === 'startup'),
    }
    const started = await deps.plugin.onStart(conversation, source)
    if (started === undefined) return undefined
    const talk = { ...fresh, conversation, wakeFile: started.wakeFile } as Talk & { root: Talk }
    talk.root = talk
    deps.opened(talk)
    return talk
  }

  return {
    of: (id) => find(id, 0),
    known: async (id) => talks.get(id),
    create: (info) => keep(info.id, () => open(info, 'startup', 0)),
    drop: (id) => void talks.delete(id),
  }
}
