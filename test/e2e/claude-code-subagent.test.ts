/** An agent that a session starts itself shares the session’s ids, and leaves its mail alone. */
import { expect } from 'vitest'
import { claudeCode, claudeCodeNewest, withPlugin } from './lab/claude-code.ts'
import type { Step } from './lab/conversation.ts'
import type { ModelRequest } from './lab/dialect.ts'
import { conversationOf, newIn, proof, reminders } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { hostTest } from './lab/installed.ts'
import { inPlace } from './lab/place.ts'
import { refusal } from './lab/results.ts'
import { receipt, send } from './lab/shell.ts'

const task = 'Look around, subagent.'

/** The prompt of the parent stands in all requests of the parent, and in no other. */
function isSubagent(request: ModelRequest): boolean {
  return !conversationOf(request).includes('Send somebody.')
}

async function leavesMailAlone(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const parent = place.model.conversation('parent')
    let sent = ''
    let seen: unknown
    const ofSubagent: readonly Step[] = [
      {
        tool: /^Bash$/,
        args: { command: 'echo looking', description: 'looks' },
        async after() {
          sent = (await send(place, 'project', 'for the parent')).id
        },
      },
      { tool: /read_inbox$/, args: {} },
      { tool: /update_session$/, args: { progress: 'the subagent was here' } },
      {
        text: 'looked',
        async after() {
          seen = (await receipt(place, sent)).place
        },
      },
    ]
    parent.play((request) => {
      if (isSubagent(request)) return ofSubagent[request.turn] ?? { text: 'looked' }
      if (request.turn > 0) return { text: 'thanks' }
      const args = { description: 'looks around', prompt: task, subagent_type: 'general-purpose' }
      return { tool: /^(Agent|Task)$/, args: { ...args, run_in_background: false } }
    })
    const session = await place.stream(withPlugin(host, 'stream'), 'parent')
    await session.say('Send somebody.')

    const subagents = parent.requests.filter(isSubagent)
    const own = parent.requests.filter((request) => !isSubagent(request))
    expect(subagents).toHaveLength(ofSubagent.length)
    for (const request of subagents) expect(reminders(conversationOf(request))).toEqual([])
    const [, peeked, refused] = subagents.at(-1)?.exchanges ?? []
    expect(JSON.parse(peeked?.result ?? '')).toMatchObject({ peek: true, messages: [{ content: 'for the parent' }] })
    expect(refusal(refused?.result ?? '')).toMatchObject({ error: { code: 'SUBAGENT' } })
    expect(seen).toBe('unread')
    proof(host, 'three tool calls of the subagent: told nothing, only peeked, changed nothing; the mail stayed unread')

    const after = own[1]
    if (after === undefined) throw new Error('the parent was not asked again')
    expect(reminders(newIn(after)).filter((line) => line.includes('"for the parent"'))).toHaveLength(1)
    const states = Object.values(await place.files('activity')).map(({ trail }) => trail)
    expect(states).toMatchObject([[{ state: 'idle' }, { state: 'working' }, { state: 'idle' }]])
    proof(host, 'the parent was told right after the subagent came back, and counted as working all the time')
    expect(await session.end()).toMatchObject({ exitCode: 0, leftBehind: [] })
  })
}

for (const host of [claudeCodeNewest, claudeCode]) {
  hostTest('a subagent is told nothing, takes nothing, and its parent is told', [host], leavesMailAlone)
}
