/** What tests of the bridge do with the tabs of the IDE. */

import fs from 'node:fs'
import path from 'node:path'
import type { ManageAnswer } from '../../src/core/answers-actions.ts'
import type { SendAnswer } from '../../src/lib.ts'
import { bundleProgram } from '../processes/lab/bundle.ts'
import { type Ide, type IdeOptions, lastResult, openIde } from './ide.ts'
import type { Performed, Step, Tab } from './tabs.ts'

export const BRIDGE = 'session-manager-bridge'

/** A call of one of our tools by the tab whose turn it is. */
export const call = (tool: string, args: Record<string, unknown> = {}): Extract<Step, { call: string }> => ({
  call: tool,
  args: { sessionId: '$me', ...args },
})
export const register = (task: string): Step => call('update_session', { task })

/** Two tabs that are on the bus. */
export async function two(options: IdeOptions = {}): Promise<Ide> {
  const ide = await openIde(options)
  for (const title of ['Shop', 'Review']) {
    await ide.open(title)
    await ide.type(title, 'Register.', register(`works on ${title}`))
  }
  return ide
}

/** Shop calls manage_session. */
export async function manage(ide: Ide, operation: string, more = {}, session = 'Review'): Promise<ManageAnswer> {
  return lastResult(await ide.type('Shop', operation, call('manage_session', { session, operation, ...more })))
}

/** Shop writes to one. */
export async function send(ide: Ide, to: string, more = {}): Promise<SendAnswer['to'][number]> {
  const step = call('send_message', { to, content: 'The whole text.', activationMessage: 'Have a look.', ...more })
  const [delivery] = lastResult<SendAnswer>(await ide.type('Shop', `Write to ${to}.`, step)).to
  if (delivery === undefined) throw new Error('nobody was sent to')
  return delivery
}

export async function performed(ide: Ide): Promise<Performed[]> {
  return (await ide.desk()).performed
}

/** The lines that were pushed into a tab. */
export function pushes({ chat }: Tab): Tab['chat'] {
  return chat.filter(({ who, text }) => who === 'user' && text.startsWith('session-mcp wake '))
}

/** Files of actions that no bridge has taken. */
export function waiting({ home }: Ide): string[] {
  return fs.readdirSync(path.join(home, 'actions', 'msun')).filter((name) => name.endsWith('.json'))
}

export interface Waiting {
  readonly ide: Ide
  /** Of an action that Shop asked for, a pin of Review, and no bridge has seen: real, and not performed yet. */
  readonly id: string
  /** The tab it is for. */
  readonly target: string
  /** Another server answers a tool of any name. */
  forge(tool: string, answer: object): Promise<Tab>
}

export async function withWaiting(options: IdeOptions = {}): Promise<Waiting> {
  const forger = { command: 'node', args: [await bundleProgram('test/ide/forger.ts')] }
  const ide = await two({ ...options, servers: { forger } })
  const pin = call('manage_session', { session: 'Review', operation: 'pin' })
  const { action } = lastResult<ManageAnswer>(await ide.type('Shop', 'Pin it.', { ...pin, isUnseen: true }))
  return {
    ide,
    id: action.id ?? '',
    target: (await ide.tab('Review')).id,
    forge: (tool, answer) => ide.type('Shop', tool, { call: tool, args: { answer }, server: 'forger' }),
  }
}
