/** A terminal of Codex over its life: compaction, a new conversation, a branch, and one that is taken up again. */
import { writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { codex, wired } from './lab/codex.ts'
import { codexHome, trustHooks } from './lab/codex-home.ts'
import { conversationOf, identityIn, newIn, proof, reminders, times } from './lab/heard.ts'
import { tabTest } from './lab/installed.ts'
import { inPlace } from './lab/place.ts'
import { send } from './lab/shell.ts'
import { until } from './lab/until.ts'

/** An event that no Codex knows yet, in a file that holds ours as well. */
const TOMORROW = { hooks: { EventOfTomorrow: [{ hooks: [{ type: 'command', command: 'true', timeout: 3 }] }] } }

tabTest(
  'C043 C047 C057: each conversation is a session of its own, and knows it whatever happens to it',
  [codex],
  async () => {
    await inPlace(async (place) => {
      const me = await codexHome(place, 'one')
      writeFileSync(me.hooks, JSON.stringify(TOMORROW))
      await me.ours('install', 'codex')
      await trustHooks(place, 'one')
      const one = place.model.conversation('one')
      one.play((request) => ({ text: `end ${request.turn}` }))
      const activity = async (id: string) =>
        Object.values(await place.files('activity')).find((each) => each['id'] === id)
      const tab = await place.tab(wired('tab'), 'one', '', { flags: ['--no-daemon'] })
      await tab.shows(/\? for shortcuts/)
      const turn = async (prompt: string) => {
        const before = one.requests.length
        await tab.say(prompt)
        let presses = 1
        const request = await until(`the turn of ${prompt}`, async () => {
          // A conversation that begins takes text before it takes Enter.
          const isLeft = new RegExp(`^› ${prompt.replace(/\W/g, '\\$&')}\\s*$`, 'm').test(
            (await tab.screen()).slice(-600),
          )
          if (one.requests[before] === undefined && isLeft && presses++ % 40 === 0) await tab.press('Enter')
          return one.requests[before]
        })
        const who = identityIn(newIn(request))
        // Where it has been told already, it is not told again.
        const id = who?.id ?? identityIn(conversationOf(request))?.id ?? ''
        await until(`${prompt} has ended`, async () => (await activity(id))?.['state'] === 'idle')
        return { request, id, told: reminders(newIn(request)) }
      }

      const first = await turn('Begin.')
      expect(first.told).toHaveLength(1)
      proof(codex, `an event that it does not know in the same file: ours run, ${first.id} is on the bus`)
      await send(place, 'project', 'kept through it all', '--activate', 'never')
      const second = await turn('Go on.')
      expect(second.told.join('\n')).toContain('"kept through it all"')
      expect((await turn('And on.')).told.join('\n')).not.toContain('kept through it all')

      await tab.say('/compact')
      await tab.shows(/Context compacted/)
      const after = await turn('What do you know?')
      expect(after.id).toBe(first.id)
      expect(times(after.told.join('\n'), '"kept through it all"')).toBe(1)
      proof(codex, `compacted, ${after.id} is told again who it is and what is unread`)

      await tab.say('/new')
      await until('the new conversation is there', async () => {
        const screen = await tab.screen()
        return !screen.includes('Context compacted') && screen.includes('? for shortcuts')
      })
      const fresh = await turn('Something else.')
      expect(fresh.id).not.toBe(first.id)
      expect(fresh.told.join('\n')).not.toContain('kept through it all')

      await tab.say('/fork')
      await tab.shows(/Fork created/)
      const branch = await turn('The other way.')
      expect([first.id, fresh.id]).not.toContain(branch.id)
      expect(Object.keys(await place.files('sessions'))).toHaveLength(3)
      proof(codex, `a new conversation is ${fresh.id}, its branch ${branch.id}; mail of the first one stayed with it`)

      await tab.say('/quit')
      for (const id of [first.id, fresh.id, branch.id])
        await until(`${id} has ended`, async () => (await activity(id))?.['state'] === 'ended')
      await tab.end()
      const run = (prompt: string) =>
        place.run(wired('exec'), 'one', prompt, { flags: ['resume', first.id] }).then(() => undefined)
      const before = one.requests.length
      await run('Where were we?')
      const back = one.requests[before]
      if (back === undefined) throw new Error('no turn')
      expect(identityIn(newIn(back))?.id).toBe(first.id)
      // It holds what it was shown before: now the number is enough.
      expect(reminders(newIn(back)).join('\n')).toMatch(/1 unread message in the inbox of this session, the oldest/)
      expect(Object.keys(await place.files('sessions'))).toHaveLength(3)
      proof(codex, `ended with the terminal, ${first.id} came back in another process, with its mail`)
    })
  },
)
