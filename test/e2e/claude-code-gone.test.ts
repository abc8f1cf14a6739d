/** The program that was installed is gone: its checkout moved, or is being built. No turn of Claude Code notices. */
import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { claudeCode, claudeCodeNewest, wired } from './lab/claude-code.ts'
import { proof } from './lab/heard.ts'
import { entry, type Host } from './lab/host.ts'
import { hostTest } from './lab/installed.ts'
import { person } from './lab/person.ts'
import { expectCleanEnd, inPlace } from './lab/place.ts'

async function goesOn(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const me = await person(place, 'one')
    const dist = path.join(place.root, 'checkout', 'dist')
    cpSync(path.dirname(entry), dist, { recursive: true })
    await me.run(process.execPath, path.join(dist, 'index.js'), 'install', 'claude-code')
    rmSync(dist, { recursive: true })
    const conversation = place.model.conversation('one')
    conversation.play([{ tool: /^Bash$/, args: { command: 'echo one', description: 'works' } }, { text: 'done' }])
    expectCleanEnd(await place.run(wired(host), 'one', 'Begin.'))
    expect(conversation.requests).toHaveLength(2)
    proof(host, 'prompt, tool and end of the turn as without hooks')
  })
}

for (const host of [claudeCodeNewest, claudeCode]) {
  hostTest('a turn goes on where the program that was installed is gone', [host], goesOn)
}
