/** One OpenCode server with sessions of several projects that work at the same moment; one of them is summarised, one deleted. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import type { ModelRequest } from './lab/dialect.ts'
import { identityIn, proof, reminders } from './lab/heard.ts'
import { conversationOf, systemOf } from './lab/heard-opencode.ts'
import { hostTest } from './lab/installed.ts'
import { opencode, withPlugin } from './lab/opencode.ts'
import { openSession } from './lab/opencode-session.ts'
import { inPlace } from './lab/place.ts'
import { send } from './lab/shell.ts'
import { until } from './lab/until.ts'

const CALLS = 3
const Id = z.looseObject({ id: z.string() })
const Sent = z.looseObject({ from: z.looseObject({ id: z.string() }), content: z.string() })

hostTest(
  'C042: sessions of several projects in one process call tools at the same moment, and each call is its own',
  [opencode],
  async (host) => {
    await inPlace(async (place) => {
      const all = place.model.conversation('all')
      const whoAsks = (request: ModelRequest) => identityIn(systemOf(request))?.id ?? 'nobody'
      all.play((request) => {
        const done = request.exchanges.length
        if (!conversationOf(request).includes('Send.') || done === CALLS) return { text: `end ${request.turn}` }
        return {
          tool: /send_message$/,
          args: { to: 'human', content: `${whoAsks(request)} ${done}`, activate: 'never' },
        }
      })
      const server = await place.server(withPlugin('serve'), 'all')
      const other = path.join(place.root, 'another project')
      await mkdir(other)
      const here = await Promise.all(['one', 'two', 'three'].map((title) => openSession(server, { title })))
      const query = `?directory=${encodeURIComponent(other)}`
      const { id: elsewhere } = Id.parse(await server.call('POST', `/session${query}`, { title: 'elsewhere' }))
      const prompt = { parts: [{ type: 'text', text: 'Send.' }] }
      await Promise.all([
        ...here.map((session) => session.say('Send.')),
        server.call('POST', `/session/${elsewhere}/message${query}`, prompt),
      ])
      const ids = [...here.map(({ id }) => id), elsewhere]
      const sent = Object.values(await place.files('inboxes/human')).map((message) => Sent.parse(message))
      expect(sent.map(({ content }) => content).sort()).toEqual(
        ids.flatMap((id) => Array.from({ length: CALLS }, (_, n) => `${id} ${n}`)).sort(),
      )
      for (const { from, content } of sent) expect(content.split(' ')[0]).toBe(from.id)
      const sessions = Object.values(await place.files('sessions'))
      expect(Object.fromEntries(sessions.map(({ name, projectPath }) => [name, projectPath]))).toEqual({
        one: place.project,
        two: place.project,
        three: place.project,
        elsewhere: other,
      })
      proof(host, `${sent.length} calls of ${ids.length} sessions in two projects, each sent by the one that asked`)

      // Mail for one of them, while it is summarised: that request is nobody's turn.
      const [one, two] = here
      const before = place.model.recorded.length
      await send(place, 'one', 'for the first', '--activate', 'never')
      await server.call('POST', `/session/${one?.id}/summarize`, { providerID: 'lab', modelID: 'scripted' })
      await one?.idle()
      const summaries = place.model.recorded
        .slice(before)
        .map(({ body }) => JSON.stringify(body))
        .filter((body) => body.includes('summarization agent'))
      expect(summaries.length).toBeGreaterThan(0)
      for (const body of summaries) expect(body).not.toContain('"for the first"')
      const asked = all.requests.length
      await one?.say('Go on.')
      const told = reminders(systemOf(all.requests[asked] as ModelRequest)).join('\n')
      expect(told.split('"for the first"')).toHaveLength(2)
      expect(identityIn(told)?.id).toBe(one?.id)
      proof(host, `not told in ${summaries.length} requests for a summary, told once in the turn after it`)

      await server.call('DELETE', `/session/${two?.id}`)
      const gone = await until('the deleted one has ended', async () => {
        const activity = (await place.files('activity'))[`${fileOf(await place.files('activity'), two?.id)}`]
        return activity?.['state'] === 'ended' ? activity : undefined
      })
      expect(gone['evidence']).toBe('session end (deleted)')
      const { wake } = await send(place, 'two', 'too late')
      expect(wake?.outcome).not.toBe('requested')
      expect((await one?.say('And you?')) === undefined).toBe(true)
      expect(identityIn(systemOf(all.requests.at(-1) as ModelRequest))?.id).toBe(one?.id)
      proof(host, `a deleted session is ended (${gone['evidence']}), the others go on; mail for it: ${wake?.evidence}`)
    })
  },
)

/** Files are named after the id in small letters. */
function fileOf(files: Record<string, Record<string, unknown>>, id: string | undefined): string {
  return Object.keys(files).find((name) => files[name]?.['id'] === id) ?? ''
}
