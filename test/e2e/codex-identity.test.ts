/** Conversations of Codex that lie beside each other or inside each other, and hooks that belong to another host. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { pluginDir } from './lab/claude-code.ts'
import { codex, wired } from './lab/codex.ts'
import { codexHome, endDaemon, trustHooks, wiredHome } from './lab/codex-home.ts'
import type { ModelRequest } from './lab/dialect.ts'
import { conversationOf, identityIn, newIn, proof, reminders } from './lab/heard.ts'
import { entry, ourServer } from './lab/host.ts'
import { tabTest } from './lab/installed.ts'
import { expectCleanEnd, inPlace } from './lab/place.ts'
import { proves } from './lab/proves.ts'
import { send } from './lab/shell.ts'
import { until } from './lab/until.ts'

const isAgent = ({ body }: ModelRequest) => JSON.stringify(body).includes('subagent_kind')

tabTest('C049: an agent is told nothing, may look and send, and ends nothing', [codex], async () => {
  await inPlace(async (place) => {
    await wiredHome(place, 'parent')
    const parent = place.model.conversation('parent')
    const agentSaw: string[] = []
    const results: unknown[] = []
    parent.play((request) => {
      const done = request.exchanges.length
      if (isAgent(request)) {
        agentSaw.push(conversationOf(request))
        results.splice(0, results.length, ...request.exchanges.map(({ result }) => JSON.parse(result ?? '{}')))
        return (
          [
            { tool: /read_inbox$/, args: {} },
            { tool: /update_session$/, args: { task: 'take over' } },
            { tool: /complete_session$/, args: { result: 'ended by an agent' } },
            { tool: /send_message$/, args: { to: 'human', content: 'an agent speaks', activate: 'never' } },
          ][done] ?? { text: 'agent done' }
        )
      }
      if (done === 0) {
        return {
          tool: /spawn_agent$/,
          args: { message: 'Look around.' },
          after: () => send(place, 'project', 'for the parent', '--activate', 'never'),
        }
      }
      if (done === 1) {
        const { agent_id } = JSON.parse(request.exchanges[0]?.result ?? '{}')
        return { tool: /wait_agent$/, args: { targets: [agent_id], timeout_ms: 600_000 } }
      }
      return done === 2 ? { tool: /read_inbox$/, args: {} } : { text: 'parent done' }
    })
    expectCleanEnd(await place.run(wired('exec'), 'parent', 'Spawn one.'))
    const mine = parent.requests.filter((request) => !isAgent(request))
    const id = identityIn(conversationOf(mine[0] as ModelRequest))?.id
    expect(agentSaw.at(-1)).toBeDefined()
    expect(reminders(agentSaw.at(-1) ?? '').filter((line) => !line.includes('Spawn'))).toEqual([])
    expect(results).toMatchObject([
      { sessionId: id, peek: true, messages: [{ content: 'for the parent' }] },
      { ok: false, error: { code: 'SUBAGENT' } },
      { ok: false, error: { code: 'SUBAGENT' } },
      { to: [{ stored: true }] },
    ])
    expect(reminders(mine.map(newIn).join('\n')).join('\n')).toContain('"for the parent"')
    expect(JSON.parse(mine.at(-1)?.exchanges.at(-1)?.result ?? '{}')).toMatchObject({
      sessionId: id,
      messages: [{ content: 'for the parent' }],
    })
    expect(Object.keys(await place.files('sessions'))).toEqual([`${id}.json`])
    expect((await place.files('sessions'))[`${id}.json`]).not.toHaveProperty('closedAt')
    proof(codex, `an agent of session ${id}: not told, peeked, refused twice, heard; the parent read its own mail`)
  })
})

tabTest('C042: two terminals of one background server keep their own names and mail', [codex], async () => {
  await inPlace(async (place) => {
    const me = await wiredHome(place, 'both')
    const both = place.model.conversation('both')
    const whoAmI = `'${process.execPath}' '${entry}' inbox --home '${place.busHome}'`
    both.play((request) =>
      newIn(request).includes('Who?')
        ? {
            tool: /exec_command$/,
            args: {
              cmd: whoAmI,
              yield_time_ms: 30_000,
              sandbox_permissions: 'require_escalated',
              justification: 'May I',
            },
          }
        : newIn(request).includes('Register as ')
          ? {
              tool: /update_session$/,
              args: { task: /Register as (\w+)/.exec(newIn(request))?.[1] ?? '', projectPath: place.project },
            }
          : { text: `end ${request.turn}` },
    )
    const ids: string[] = []
    const tabs = []
    for (const side of ['left', 'right']) {
      // The key of the model is what the server was started with: both sides are one conversation of the model.
      const tab = await place.tab(wired('tab'), side, '', { home: 'both', env: { LAB_KEY: 'both' } })
      tabs.push(tab)
      await tab.shows(/\? for shortcuts/)
      const before = both.requests.length
      await tab.say(`Register as ${side}`)
      const last = await until('the registration', () => both.requests[before + 1])
      ids.push(JSON.parse(last.exchanges[0]?.result ?? '{}').id)
      expect(identityIn(conversationOf(last))?.id).toBe(ids.at(-1))
      await until('it is idle', async () => {
        const records = Object.values(await place.files('activity'))
        return records.length === ids.length && records.every(({ state }) => state === 'idle')
      })
    }
    const sessions = Object.values(await place.files('sessions'))
    expect(Object.fromEntries(sessions.map(({ id, task }) => [id, task]))).toEqual({
      [ids[0] ?? '']: 'left',
      [ids[1] ?? '']: 'right',
    })
    const clients = sessions.map(({ host }) => (host as { client: { pid: number }; pane?: string }).client.pid)
    expect(new Set(clients).size).toBe(1)
    expect(sessions.some(({ host }) => 'pane' in (host as object))).toBe(false)
    await send(place, 'project-2', 'for the right one', '--activate', 'never')
    for (const tab of tabs) {
      const before = both.requests.length
      await tab.say('Anything?')
      const request = await until('an answer', () => both.requests[before])
      const told = reminders(newIn(request)).join('\n')
      if (tab === tabs[1]) expect(told).toContain('"for the right one"')
      else expect(told).toBe('')
    }
    proof(
      codex,
      `two terminals, one server process ${clients[0]}: sessions ${ids.join(' and ')}, each with its own mail`,
    )
    // Outside of its sandbox a shell shares its ancestors with both sessions; the host says whose model it was started for.
    await tabs[1]?.say('Who?')
    await tabs[1]?.shows(/Would you like to run the following command/)
    await tabs[1]?.press('Enter')
    const shell = await until('an answer', () =>
      both.requests.flatMap(({ exchanges }) => exchanges).find(({ tool }) => tool === 'exec_command'),
    )
    expect(shell.result).toContain('for the right one')
    proof(codex, 'the command line in a shell of the second session reads the mail of the second session')
    proves(codex, 'identity')
    for (const tab of tabs) await tab.end()
    await endDaemon(me)
    const list = await me.ours('list', '--json')
    expect(JSON.parse(list).sessions.map(({ activity }: { activity: string }) => activity)).toEqual(['ended', 'ended'])
    proof(codex, 'with that process gone, both are seen to have ended')
  })
})

tabTest('hooks of Claude Code stay silent in it, as settings and as a plugin', [codex], async () => {
  await inPlace(async (place) => {
    const me = await codexHome(place, 'one')
    const script = path.join(path.dirname(entry), 'hooks/claude-code.js')
    const hook = {
      type: 'command',
      command: `exec '${process.execPath}' '${script}' --home '${place.busHome}'`,
      timeout: 3,
    }
    const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd']
    writeFileSync(
      me.hooks,
      JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]])) }),
    )
    // The plugin for Claude Code, in the form of a marketplace that Codex accepts as well.
    const market = path.join(place.root, 'market')
    cpSync(path.dirname(pluginDir), market, { recursive: true })
    rmSync(path.join(market, '.agents'), { recursive: true })
    console.log(await me.host(codex, 'plugin', 'marketplace', 'add', market))
    console.log(await me.host(codex, 'plugin', 'add', 'session-mcp@session-mcp'))
    await trustHooks(place, 'one')
    const { args } = ourServer(place.busHome)
    const server = `\n[mcp_servers.plain]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\n`
    writeFileSync(me.config, readFileSync(me.config, 'utf8') + server)
    const one = place.model.conversation('one')
    one.play([
      { tool: /exec_command$/, args: { cmd: 'echo one' } },
      { tool: /list_sessions$/, args: {} },
      { text: 'end' },
    ])
    expectCleanEnd(await place.run(wired('exec'), 'one', 'Begin.'))
    const last = one.requests.at(-1)
    if (last === undefined) throw new Error('no turn')
    expect(reminders(conversationOf(last))).toEqual([])
    expect(JSON.parse(one.result('list_sessions'))).toMatchObject({ sessions: [] })
    proof(codex, `${events.length} events of Claude Code’s form ran and said nothing, and registered nothing`)
  })
})
