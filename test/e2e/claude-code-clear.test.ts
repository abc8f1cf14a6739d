/** A clear gives the conversation another id, a compaction takes away what it was told: the session stays, and is told again. */
import { expect } from 'vitest'
import { claudeCode, claudeCodeNewest, withPlugin } from './lab/claude-code.ts'
import type { ModelRequest } from './lab/dialect.ts'
import { identityIn, newIn, proof, reminders } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { tabTest } from './lab/installed.ts'
import { inPlace } from './lab/place.ts'
import { receipt, send } from './lab/shell.ts'
import { until } from './lab/until.ts'

async function startsAfresh(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const tabby = place.model.conversation('tabby')
    tabby.play((request) => {
      const text = newIn(request)
      if (text.includes('session-mcp wake')) return { tool: /read_inbox$/, args: {} }
      if (text.includes('Say your task.') && request.tools.some((name) => name.endsWith('update_session')))
        return { tool: /update_session$/, args: { task: 'survive', projectPath: place.project } }
      return { text: 'A short summary of what was said.' }
    })
    const only = async (folder: string) => {
      const all = Object.values(await place.files(folder))
      expect(all).toHaveLength(1)
      return all[0] ?? {}
    }
    const settled = (evidence: RegExp) =>
      until(`activity says ${evidence}`, async () => evidence.test(String((await only('activity'))['evidence'])))
    const key = async () => (await only('sessions'))['host'] as { hostKey: string }
    const asked = async (prompt: string): Promise<ModelRequest> => {
      const before = tabby.requests.length
      await tab.say(prompt)
      const request = await until(`a request for ${prompt}`, () =>
        tabby.requests.slice(before).find((each) => newIn(each).includes(prompt)),
      )
      await settled(/the turn ended/)
      return request
    }

    const tab = await place.tab(withPlugin(host, 'tab'), 'tabby', '')
    await until('the session is there', async () => (await place.names()).length > 0)
    const first = await asked('Hello.')
    const who = identityIn(newIn(first))
    expect(await key()).toMatchObject({ hostKey: who?.id })
    await send(place, 'project', 'left unread', '--activate', 'never')
    const told = await asked('Anything new?')
    expect(reminders(newIn(told)).join('\n')).toContain('"left unread"')

    const isToldAgain = async (source: string) => {
      await settled(new RegExp(`session start \\(${source}\\)`))
      const request = await asked(`What now, after ${source}?`)
      expect(identityIn(newIn(request))).toEqual(who)
      expect(newIn(request)).toMatch(/SessionStart hook additional context: session-mcp: this is session "project"/)
      expect(reminders(newIn(request)).filter((line) => line.endsWith('"left unread"'))).toHaveLength(1)
      await asked('Say your task.')
      expect(JSON.parse(tabby.result('update_session'))).toMatchObject({ id: who?.id, registered: false })
      const sentAt = Date.now()
      const before = tabby.requests.length
      const { id } = await send(place, 'project', `wake up after ${source}`)
      const woken = await until('a turn', () => tabby.requests[before])
      expect(newIn(woken)).toContain('session-mcp wake')
      await until('it is read', async () => (await receipt(place, id)).place === 'read')
      await settled(/the turn ended/)
      proof(
        host,
        `after ${source}: same id, identity and unread mail told again, server agrees, woken in ${woken.at - sentAt} ms`,
      )
      await send(place, 'project', 'left unread', '--activate', 'never')
    }
    await tab.say('/clear')
    await isToldAgain('clear')
    expect((await key()).hostKey).not.toBe(who?.id)
    await tab.say('/compact')
    await isToldAgain('compact')
    await only('sessions')
  })
}

for (const host of [claudeCodeNewest, claudeCode]) {
  tabTest('C057: after a clear and a compaction it is the same session, and is told again', [host], startsAfresh)
}
