/**
 * What can be done to a session of OpenCode through its own client, and what really came of it: each operation looks
 * afterwards instead of trusting the answer. As observed with 1.18 in November 2026.
 */

import { type Client, callOf, sessionOf, startTurn } from './client.ts'
import { type ModelChoice, record, type SessionInfo, text } from './payload.ts'

export type Operation =
  | 'create'
  | 'switch'
  | 'close'
  | 'cancel'
  | 'rename'
  | 'set_model'
  | 'set_input'
  | 'send_message'
  | 'pin'
  | 'unpin'
  | 'set_scene'

export interface ActionParams {
  /** OpenCode's id of the session; every operation but `create` needs it. */
  readonly sessionId?: string | undefined
  /** `create`, `rename`: its title. */
  readonly title?: string | undefined
  /** `create`: its first prompt. `set_input`, `send_message`: the text. */
  readonly text?: string | undefined
  /** `create`, `set_model`: `provider/model`. */
  readonly model?: string | undefined
  /** `create`: where it works. */
  readonly directory?: string | undefined
  /** `create`: told as soon as the session is there, before its prompt. */
  readonly made?: ((sessionId: string) => void) | undefined
  /** False where this OpenCode is known to run without a terminal. */
  readonly hasTerminal?: boolean | undefined
}

export interface Performed {
  readonly state: 'done' | 'failed' | 'unsupported'
  /** A sentence: what was seen, or why not, and then what a person can do. */
  readonly evidence: string
  /** The session that was made. */
  readonly sessionId?: string
}

type Perform = (client: Client, session: SessionInfo, params: ActionParams) => Promise<Performed>

/** Never throws. An operation is tried once. */
export async function performOpenCode(client: Client, operation: Operation, params: ActionParams): Promise<Performed> {
  try {
    if (operation === 'create') return await create(client, params)
    const perform = Object.hasOwn(PERFORMS, operation) ? PERFORMS[operation] : undefined
    if (perform === undefined) return unsupported(`OpenCode has no operation ${operation}.`)
    const session = params.sessionId === undefined ? undefined : await sessionOf(client, params.sessionId)
    if (session === undefined) return failed(`OpenCode has no session ${params.sessionId ?? '(none was named)'}.`)
    return await perform(client, session, params)
  } catch (fault) {
    return failed(fault instanceof Error ? fault.message : String(fault))
  }
}

async function create(client: Client, params: ActionParams): Promise<Performed> {
  const { title, text: prompt, model, directory, made } = params
  const choice = model === undefined ? undefined : await choose(client, model)
  if (typeof choice === 'string') return failed(choice)
  const body = {
    ...(title !== undefined && { title }),
    ...(choice !== undefined && { model: { id: choice.modelID, providerID: choice.providerID } }),
  }
  const query = directory === undefined ? {} : { query: { directory } }
  const { id } = record(dataOf(await callOf(client, 'session', 'create')({ body, ...query })))
  const sessionId = text(id)
  if (sessionId === undefined) return failed('OpenCode made no session.')
  made?.(sessionId)
  if (prompt === undefined) return { ...done(`Session ${sessionId} was made; it has no prompt yet.`), sessionId }
  try {
    await startTurn(client, sessionId, prompt, { model: choice, directory })
  } catch (fault) {
    return { ...failed(`Session ${sessionId} was made, but its prompt was refused: ${String(fault)}`), sessionId }
  }
  return {
    ...done(`Session ${sessionId} was made and took its prompt; a terminal shows it after a switch.`),
    sessionId,
  }
}

const PERFORMS: Readonly<Partial<Record<Operation, Perform>>> = {
  async switch(client, { id }, { hasTerminal }) {
    if (hasTerminal === false) return unsupported(`${NO_TERMINAL} A person can type: opencode attach URL -s ${id}`)
    await show(client, id)
    return done(`The terminal was asked to show ${id}; OpenCode does not say whether one did.`)
  },

  // DELETE would destroy the conversation.
  async close(client, { id }) {
    const wasBusy = await isBusy(client, id)
    if (wasBusy) await abort(client, id)
    dataOf(await callOf(client, 'session', 'update')({ path: { id }, body: { time: { archived: Date.now() } } }))
    if ((await sessionOf(client, id))?.isArchived !== true) return failed('OpenCode did not archive it.')
    return done(
      `Archived${wasBusy ? ' after its turn was aborted' : ''}; the conversation is kept, and a terminal that shows it goes on doing so.`,
    )
  },

  async cancel(client, { id }) {
    if (!(await isBusy(client, id))) return done('No turn was running.')
    await abort(client, id)
    return (await isBusy(client, id))
      ? failed('The turn was aborted, and one is running.')
      : done('Its turn was aborted.')
  },

  async rename(client, { id }, { title }) {
    if (title === undefined) return failed('A title is missing.')
    dataOf(await callOf(client, 'session', 'update')({ path: { id }, body: { title } }))
    const now = (await sessionOf(client, id))?.title
    return now === title ? done(`Its title is ${JSON.stringify(now)}.`) : failed('OpenCode kept its title.')
  },

  async set_model(client, { id }, { model, hasTerminal }) {
    if (hasTerminal !== false)
      return unsupported('The terminal keeps the model that a person selected in it. A person can type: /models')
    const choice = await choose(client, model ?? '')
    if (typeof choice === 'string') return failed(choice)
    const body = { model: { id: choice.modelID, providerID: choice.providerID } }
    // Not among the calls of the client that plugins get in 1.18.
    const post = callOf(client, '_client', 'post')
    dataOf(
      await post({
        url: `/api/session/${encodeURIComponent(id)}/model`,
        body,
        headers: { 'content-type': 'application/json' },
      }),
    )
    const now = (await sessionOf(client, id))?.model
    return now?.modelID === choice.modelID && now.providerID === choice.providerID
      ? done(`Turns that name no model of their own run with ${model}.`)
      : failed('OpenCode kept its model.')
  },

  async set_input(client, { id }, { text: draft, hasTerminal }) {
    if (draft === undefined || /[\r\n]/.test(draft)) return failed('One line of text is needed.')
    if (hasTerminal === false) return unsupported(`${NO_TERMINAL} There is no input line.`)
    // There is one input line for all sessions of a terminal, and it belongs to the one that is shown.
    await show(client, id)
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    dataOf(await callOf(client, 'tui', 'appendPrompt')({ body: { text: draft } }))
    return done(`The terminal was asked to show ${id} and to add the text to its input line, behind what stood there.`)
  },

  async send_message(client, { id, agent, model }, { text: prompt }) {
    if (prompt === undefined) return failed('A text is missing.')
    const wasBusy = await isBusy(client, id)
    await startTurn(client, id, prompt, { agent, model })
    return done(
      wasBusy ? 'OpenCode took the prompt into the turn that runs.' : 'OpenCode took the prompt; a turn starts.',
    )
  },

  pin: noPins,
  unpin: noPins,

  async set_scene() {
    return unsupported('OpenCode has no scenes.')
  },
}

/** A terminal that changes to another session has no input line for a moment, and does not say when it has one again, ms. */
const SETTLE_MS = 1_500

const NO_TERMINAL = 'This OpenCode runs without a terminal.'

async function noPins(): Promise<Performed> {
  return unsupported('Pins belong to the terminal alone. A person can press ctrl+f in its list of sessions.')
}

async function show(client: Client, sessionID: string): Promise<void> {
  dataOf(await callOf(client, 'tui', 'publish')({ body: { type: 'tui.session.select', properties: { sessionID } } }))
}

async function abort(client: Client, id: string): Promise<void> {
  dataOf(await callOf(client, 'session', 'abort')({ path: { id } }))
}

async function isBusy(client: Client, id: string): Promise<boolean> {
  return Object.hasOwn(record(dataOf(await callOf(client, 'session', 'status')({}))), id)
}

/** @returns why not, where OpenCode has no such model. */
async function choose(client: Client, model: string): Promise<ModelChoice | string> {
  const { providers } = record(dataOf(await callOf(client, 'config', 'providers')({})))
  const all = (Array.isArray(providers) ? providers : []).flatMap((provider: unknown) => {
    const { id, models } = record(provider)
    return Object.keys(record(models)).map((modelID): ModelChoice => ({ providerID: String(id), modelID }))
  })
  const found = all.find(({ providerID, modelID }) => `${providerID}/${modelID}` === model)
  // OpenCode brings many of its own: those of the provider that was named come first.
  const isNamed = ({ providerID }: ModelChoice) => model.startsWith(`${providerID}/`)
  const names = [...all.filter(isNamed), ...all.filter((each) => !isNamed(each))].map(
    ({ providerID, modelID }) => `${providerID}/${modelID}`,
  )
  return found ?? `OpenCode has no model ${JSON.stringify(model)}. It has ${names.slice(0, 8).join(', ') || 'none'}.`
}

/** @throws Error with what OpenCode answered where it refused. */
function dataOf(answer: unknown): unknown {
  const { data, error } = record(answer)
  if (error !== undefined) throw new Error(`OpenCode refused: ${JSON.stringify(error)}`)
  return data
}

function done(evidence: string): Performed {
  return { state: 'done', evidence }
}

function failed(evidence: string): Performed {
  return { state: 'failed', evidence }
}

function unsupported(evidence: string): Performed {
  return { state: 'unsupported', evidence }
}
