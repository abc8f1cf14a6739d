/**
 * A program with tabs, which its plugin reports as its hooks would. Arguments: home; `performs` where its front end performs
 * the actions that a result names.
 */

import { OPERATIONS } from '../../../src/core/action.ts'
import { type Conversation, openBus } from '../../../src/lib.ts'
import { serve } from './serve.ts'

interface InTab {
  readonly tab: string
}

const [home = '', performs] = process.argv.slice(2)
const opened = await openBus({ home, durability: 'process' })
const { self } = opened.processes
const isIde = performs === 'performs'
const plugin = opened.hostPlugin({
  kind: isIde ? 'msun' : 'hosted',
  injection: isIde ? 'per-request' : 'kept',
  doors: [],
  ...(isIde && {
    executor: { id: 'msun', watches: false, kinds: OPERATIONS, holder: self },
    sharesClient: true as const,
    sharedServer: true,
  }),
})

const conversations = new Map<string, Conversation>()

function conversationOf({ tab }: InTab): Conversation {
  const known = conversations.get(tab)
  if (known === undefined) throw new Error(`no tab ${tab}`)
  return known
}

serve({
  /** A tab with its first turn begun and ended. With a terminal it runs in this very process. */
  async open({ tab, pane, terminal }: InTab & { pane?: string; terminal?: string }) {
    const place = pane === undefined ? {} : { pane, terminal, client: self }
    const conversation = { hostKey: tab, projectPath: '/project', title: tab, ...place }
    conversations.set(tab, conversation)
    await plugin.onSend(conversation, 'Hello.')
    await plugin.onContinue(conversation, { at: 'stop' })
  },
  async prompt(input: InTab) {
    return (await plugin.onSend(conversationOf(input), 'Go on.'))?.text ?? ''
  },
  /** A tool of the bus has answered in that tab: what the front end gets to perform, and what its model reads. */
  async result({ result, ...input }: InTab & { result: object }) {
    const reply = await plugin.onToolResult(conversationOf(input), { tool: 'manage_session', result })
    return { actions: reply?.actions ?? [], text: reply?.injection?.text ?? '' }
  },
  /** Takes an action and says no more of it. */
  take: ({ id }: { id: string }) => opened.store.actions.claim('msun', id),
})
