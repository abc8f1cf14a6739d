/** The status line of Claude Code, in its own terminal: who the session is, what is unread, who waits for it. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { begin, idle } from './lab/begin.ts'
import { answered, claudeCode, claudeCodeNewest, wired } from './lab/claude-code.ts'
import { newIn, proof } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { tabTest } from './lab/installed.ts'
import { openPeer } from './lab/peer.ts'
import { person } from './lab/person.ts'
import { inPlace } from './lab/place.ts'
import { send } from './lab/shell.ts'

const readInbox = { tool: /read_inbox$/, args: {} }

async function shows(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const me = await person(place, 'one')
    writeFileSync(path.join(me.home, '.claude.json'), JSON.stringify(answered(place)))
    await me.ours('install', 'claude-code', '--statusline')
    const conversation = place.model.conversation('one')
    conversation.play((request) =>
      newIn(request).includes('Read your mail') ? readInbox : { text: `end ${request.turn}` },
    )
    const tab = await place.tab(wired(host, 'tab'), 'one', '')
    const line = async (pattern: RegExp) => {
      const screen = await tab.shows(pattern)
      const found = screen.split('\n').find((each) => pattern.test(each)) ?? ''
      proof(host, `status line: ${found.trim()}`)
      return found
    }
    await line(/project \| 0 unread/)
    await begin(place, tab, conversation)
    await line(/project \| 0 unread .*% context/)
    await send(place, 'project', 'hello', '--activate', 'never')
    await line(/project \| 1 unread/)
    const lead = await openPeer(place, 'lead')
    // However late the host asks for its line, somebody waits by then.
    let isOver = false
    const waits = async () => {
      while (!isOver) await lead.call('wait_for_sessions', { sessions: ['project'], timeout: '60s' })
    }
    const waiting = waits().catch(() => undefined)
    await line(/project \| 1 unread \| lead waits for it/)
    isOver = true
    await lead.end()
    await waiting
    await line(/project \| 1 unread \| \d+% context/)
    await tab.say('Read your mail')
    await line(/project \| 0 unread/)
    await idle(place)
    expect(await me.ours('doctor')).toContain('Claude Code: the status line shows the bus.')
  })
}

for (const host of [claudeCodeNewest, claudeCode]) {
  tabTest('the status line shows the name, mail as it comes and goes, and who waits', [host], shows)
}
