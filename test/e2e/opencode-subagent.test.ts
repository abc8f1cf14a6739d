/** A subagent of OpenCode has a session of its own there, and none on the bus: it leaves its parent’s mail alone. */
import { expect } from 'vitest'
import type { Step } from './lab/conversation.ts'
import type { ModelRequest } from './lab/dialect.ts'
import { proof, reminders } from './lab/heard.ts'
import { promptsOf, systemOf } from './lab/heard-opencode.ts'
import { hostTest } from './lab/installed.ts'
import { opencode, withPlugin } from './lab/opencode.ts'
import { openSession } from './lab/opencode-session.ts'
import { inPlace } from './lab/place.ts'
import { refusal } from './lab/results.ts'
import { receipt, send } from './lab/shell.ts'

const task = 'Look around, subagent.'
const isSubagent = (request: ModelRequest) => promptsOf(request)[0]?.startsWith(task) === true

hostTest('C049: a subagent is told nothing, takes nothing, and its parent is told', [opencode], async (host) => {
  await inPlace(async (place) => {
    const all = place.model.conversation('all')
    let sent = ''
    let seen: unknown
    let whileItRuns: unknown
    const ofSubagent: readonly Step[] = [
      {
        tool: /list_sessions$/,
        args: {},
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
          whileItRuns = Object.values(await place.files('activity'))
        },
      },
    ]
    all.play((request) => {
      if (isSubagent(request)) return ofSubagent[request.turn] ?? { text: 'looked' }
      if (request.turn > 0) return { text: 'thanks' }
      return { tool: /^task$/, args: { description: 'looks', prompt: task, subagent_type: 'general' } }
    })
    const server = await place.server(withPlugin('serve'), 'all')
    const session = await openSession(server)
    await session.say('Send somebody.')

    const subagents = all.requests.filter(isSubagent)
    const own = all.requests.filter((request) => !isSubagent(request))
    expect(subagents).toHaveLength(ofSubagent.length)
    for (const request of subagents) expect(reminders(systemOf(request))).toEqual([])
    const [, peeked, refused] = subagents.at(-1)?.exchanges ?? []
    expect(JSON.parse(peeked?.result ?? '')).toMatchObject({ peek: true, messages: [{ content: 'for the parent' }] })
    expect(refusal(refused?.result ?? '')).toMatchObject({ error: { code: 'SUBAGENT' } })
    expect(seen).toBe('unread')
    expect(whileItRuns).toMatchObject([{ id: session.id, state: 'working' }])
    expect(Object.values(await place.files('sessions'))).toMatchObject([{ id: session.id }])
    proof(host, 'three tool calls of the subagent: told nothing, only peeked, changed nothing; the mail stayed unread')
    expect(reminders(systemOf(own[1] as ModelRequest)).join('\n')).toContain('"for the parent"')
    proof(host, 'the parent was told when the subagent came back; the bus knows one session, at work all the time')
  })
})
