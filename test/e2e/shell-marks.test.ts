/** The command line in the shells that hosts open for their models: the session's word, or nobody's, and never the person's. */
import { expect } from 'vitest'
import { claudeCodeNewest } from './lab/claude-code.ts'
import { codex, wired } from './lab/codex.ts'
import { wiredHome } from './lab/codex-home.ts'
import type { Step } from './lab/conversation.ts'
import { proof } from './lab/heard.ts'
import { entry, type Host } from './lab/host.ts'
import { hostTest, tabTest } from './lab/installed.ts'
import { opencode } from './lab/opencode.ts'
import { expectCleanEnd, inPlace, type Place } from './lab/place.ts'

const ours = (place: Place, ...words: string[]) =>
  `'${process.execPath}' '${entry}' ${words.join(' ')} --home '${place.busHome}' 2>&1`

/** Alone, and where nothing above it leads anywhere. */
const commands = (place: Place) => {
  const line = ours(place, 'send', 'human', 'hello')
  return [
    line,
    `setsid -f sh -c "${line.replaceAll("'", '')}" > left.txt 2>&1; until [ -s left.txt ]; do sleep 0.1; done; cat left.txt`,
  ]
}

const TOOLS: Readonly<Record<string, (command: string) => Step>> = {
  codex: (cmd) => ({ tool: /exec_command$/, args: { cmd, yield_time_ms: 30_000 } }),
  opencode: (command) => ({ tool: /^bash$/, args: { command, description: 'says' } }),
  'claude-code-newest': (command) => ({ tool: /^Bash$/, args: { command, description: 'says' } }),
}

async function said(place: Place, host: Host, name: string): Promise<string[]> {
  const play = TOOLS[name]
  if (play === undefined) throw new Error(name)
  const conversation = place.model.conversation('model')
  conversation.play([...commands(place).map(play), { text: 'done' }])
  expectCleanEnd(await place.run(host, 'model', 'Begin.'))
  return conversation.requests.at(-1)?.exchanges.map(({ result = '' }) => result) ?? []
}

for (const [host, kind, variable] of [
  [codex, 'codex', 'CODEX_SESSION_ID'],
  [opencode, 'opencode', 'OPENCODE'],
  [claudeCodeNewest, 'claude-code', 'CLAUDECODE'],
] as const) {
  hostTest(`a model that is not on the bus does not speak as the person`, [host], async () => {
    await inPlace(async (place) => {
      const launched = kind === 'claude-code' ? allowed(host) : host
      for (const answer of await said(place, launched, host.name)) {
        proof(host, answer.trim().split('\n')[0] ?? '')
        expect(answer).toContain(`It seems that ${kind} opened this shell for its model (${variable} is set)`)
      }
      expect(await place.files('inbox')).toEqual({})
    })
  })
}

/** With its shell allowed as well. */
function allowed({ name, launch }: Host): Host {
  return {
    name,
    launch(task) {
      const { args, ...rest } = launch(task)
      return { ...rest, args: args.map((arg) => (arg.startsWith('mcp__') ? `${arg},Bash` : arg)) }
    },
  }
}

tabTest('a session of Codex speaks from its sandbox as itself', [codex], async () => {
  await inPlace(async (place) => {
    const me = await wiredHome(place, 'model')
    for (const answer of await said(place, wired('exec'), 'codex')) expect(answer).toContain('Stored for human')
    const [id] = Object.keys(await place.files('sessions')).map((name) => name.replace('.json', ''))
    const { messages } = JSON.parse(await me.ours('inbox', '--json')) as { messages: { from: object }[] }
    expect(messages.map(({ from }) => from)).toMatchObject([{ id }, { id, verified: false }])
    proof(codex, `two messages of a sandboxed shell: ${messages.map(({ from }) => JSON.stringify(from)).join(', ')}`)
  })
})
