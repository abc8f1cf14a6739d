/** The tmux executor on a real tmux, with a program that looks like Claude Code: what arrives, and what is refused. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import type { Outcome } from '../../src/core/action.ts'
import { identityVariables } from '../../src/hosts/launch.ts'
import { tmuxTest } from './lab/installed.ts'
import { inTerminal, ranAnything, type Started, type Terminal } from './lab/terminal.ts'
import { patienceMs, until } from './lab/until.ts'

/** Each of them runs something where a shell, a format or a command parser of tmux reads it. */
const HOSTILE = [
  '$(touch PWNED1)',
  '`touch PWNED2`',
  '#(touch PWNED3) #{pane_id} #[fg=red] ##',
  '-n --help',
  `a 'quoted' "text" \\`,
  'ends in a semicolon;',
  `ends in \\;`,
  ';',
  'first\nsecond\n\n\tthird\n',
  '; touch PWNED4',
  'kill-server ;',
  '%1 %d $HOME ~ * ! é 漢字 🙂',
]

async function started(terminal: Terminal, { place }: Outcome): Promise<Started> {
  const pid = Number(await terminal.tmux('display-message', '-p', '-t', place?.pane ?? '', '#{pane_pid}'))
  return until(`${pid} says how it was started`, async () => {
    const all = (await terminal.notes()) as unknown as Started[]
    return all.find((each) => each.pid === pid && each.started !== undefined)
  })
}

tmuxTest('create: any prompt arrives as one argument, and nothing in it runs', () =>
  inTerminal(async (terminal) => {
    for (const prompt of HOSTILE) {
      const outcome = await terminal.create({ prompt, name: 'demo.site.example', model: 'vendor/m-1' })
      expect(outcome, prompt).toMatchObject({ state: 'done' })
      const { started: args } = await started(terminal, outcome)
      expect(args).toEqual(['-n', 'demo.site.example', '--model', 'vendor/m-1', '--', prompt])
    }
    expect(await ranAnything(terminal.root)).toEqual([])
  }),
)

tmuxTest('C109: create: a folder with spaces, quotes and formats in its name is where the session starts', () =>
  inTerminal(async (terminal) => {
    for (const name of ['new app', '#(touch PWNED5)', '#[x] ##{pane_id}', '$(touch PWNED6)', `q'"\\;`, '-t', 'ends;']) {
      const projectPath = path.join(terminal.root, name)
      await mkdir(projectPath)
      const outcome = await terminal.create({ prompt: 'go', projectPath })
      expect(outcome, name).toMatchObject({ state: 'done' })
      expect((await started(terminal, outcome)).cwd).toBe(projectPath)
    }
    expect(await ranAnything(terminal.root)).toEqual([])
  }),
)

tmuxTest('C101: create: a name with dots is the name of the window, which no program and no format changes', () =>
  inTerminal(async (terminal) => {
    const { place, evidence } = await terminal.create({ prompt: 'go', name: 'demo.site.example' })
    const row = await terminal.tmux(
      'list-windows',
      '-F',
      '#{window_name}|#{window_active}|#{automatic-rename}|#{allow-rename}',
    )
    expect(row.split('\n')).toEqual(['mine|1|0|0', 'demo.site.example|0|0|0'])
    expect(place).toMatchObject({ pane: expect.stringMatching(/^%\d+$/), terminal: terminal.socket })
    expect(evidence).toMatch(/^tmux new-window: pane %\d+, process \d+, window 1 of tmux session "a person"$/)
  }),
)

const OUTER = Object.fromEntries(identityVariables().map((name) => [name, 'of-another-session']))

tmuxTest('C055: create: nothing that says who somebody else is reaches the new session', () =>
  inTerminal(
    async (terminal) => {
      const { env } = await started(terminal, await terminal.create({ prompt: 'go' }))
      expect(Object.entries(env).filter(([, value]) => value === 'of-another-session')).toEqual([])
      expect(env).toMatchObject({
        SESSION_MCP_SPAWN: `ses-new.${'a'.repeat(20)}`,
        SESSION_MCP_HOME: terminal.home,
        // What is no identity stays.
        CLAUDE_CODE_USE_BEDROCK: '1',
      })
    },
    { ...OUTER, CLAUDE_CODE_USE_BEDROCK: '1', SESSION_MCP_HOME: '/another/bus' },
  ),
)

tmuxTest('create: what cannot be started is failed with the reason, and leaves no window', () =>
  inTerminal(async (terminal) => {
    const cases = [
      [await terminal.create({ prompt: 'x', projectPath: '/nowhere/at all' }), /there is no folder \/nowhere\/at all/],
      [await terminal.create({ prompt: 'x', host: 'codex' }), /there is no codex in the PATH/],
      // However long the program takes to start and end here.
      [await terminal.create({ prompt: 'end at once' }, patienceMs), /ended at once/],
    ] as const
    for (const [outcome, reason] of cases) {
      expect(outcome.state).toBe('failed')
      expect(outcome.evidence).toMatch(reason)
    }
    expect(await terminal.tmux('list-windows', '-F', '#{window_name}')).toBe('mine')
  }),
)

tmuxTest('an operation is refused unless the pane is there and the session runs in it', () =>
  inTerminal(async (terminal) => {
    const real = await terminal.target()
    const cases = [
      [{ ...real, pane: '%999' }, /pane %999 is gone/],
      // A program that was started from a pane has its TMUX_PANE, and is not in it.
      [{ ...real, client: terminal.refTo(process.pid) }, /does not run in pane %\d+: it was only started from there/],
      [{ ...real, client: { ...terminal.refTo(Number(real.client?.pid)), start: '1' } }, /does not run in pane/],
      [{ ...real, terminal: path.join(terminal.root, 'no socket') }, /there is no tmux server at/],
      [{ ...real, terminal: path.join(terminal.root, 'log.jsonl') }, /is no socket of tmux/],
      [{ ...real, pane: '%1; kill-server' }, /calls a pane is none/],
    ] as const
    for (const [target, reason] of cases) {
      for (const kind of ['switch', 'close', 'set_input', 'rename', 'pin', 'cancel'] as const) {
        const outcome = await terminal.perform({ kind, target, params: { text: 'x', name: 'x' } })
        expect(outcome.state, kind).toBe('failed')
        expect(outcome.evidence).toMatch(reason)
      }
    }
    expect((await terminal.notes()).filter(({ submitted, escaped }) => submitted ?? escaped)).toEqual([])
    expect(await terminal.tmux('list-panes', '-a', '-F', '#{pane_id}')).toContain(real.pane)
  }),
)

tmuxTest('C151: set_input types who it is from and the text, and never Enter', () =>
  inTerminal(async (terminal) => {
    for (const text of HOSTILE.filter((each) => !each.includes('\n'))) {
      const target = await terminal.target()
      const outcome = await terminal.perform({ kind: 'set_input', target, params: { text } })
      expect(outcome).toMatchObject({
        state: 'done',
        evidence: expect.stringMatching(/^keystrokes: typed .* not sent/),
      })
      await terminal.shows(target.pane, `❯ [from session lead] ${text}`)
    }
    expect((await terminal.notes()).filter(({ submitted }) => submitted !== undefined)).toEqual([])
    expect(await ranAnything(terminal.root)).toEqual([])
  }),
)

tmuxTest('C099: several lines and tabs are one input, not several submissions', () =>
  inTerminal(async (terminal) => {
    const target = await terminal.target()
    const text = 'first\nsecond\n\nthird;\tend'
    expect(await terminal.perform({ kind: 'set_input', target, params: { text } })).toMatchObject({ state: 'done' })
    await terminal.shows(target.pane, 'second')
    await terminal.tmux('send-keys', '-t', target.pane, 'x')
    await terminal.shows(target.pane, 'endx')
    await new Promise((resolve) => setTimeout(resolve, 250)) // what the program takes for a paste
    await terminal.tmux('send-keys', '-t', target.pane, 'Enter')
    const submitted = await until(
      'it is submitted',
      async () => (await terminal.notes()).filter((note) => 'submitted' in note)[0],
    )
    expect(submitted['submitted']).toBe(`[from session lead] ${text}x`)
  }),
)

tmuxTest('C103: nothing is typed into a session that works, asks, is not seen, or has a draft', () =>
  inTerminal(async (terminal) => {
    const target = await terminal.target()
    const refused = async (activity: string | undefined, reason: RegExp) => {
      const { activity: _, ...rest } = target
      const now = activity === undefined ? rest : { ...rest, activity }
      for (const kind of ['set_input', 'rename'] as const) {
        const { evidence } = await terminal.perform({ kind, target: now, params: { text: 'x', name: 'x' } })
        expect(evidence).toMatch(reason)
      }
    }
    await refused('needs_permission', /waits for the person \(needs_permission\), and the dialog would take the keys/)
    await refused('needs_input', /waits for the person \(needs_input\)/)
    await refused('working', /it is working, and only a session that is seen to be idle/)
    await refused(undefined, /it is unknown, and only a session/)
    await terminal.tmux('send-keys', '-t', target.pane, '-l', 'my draft')
    await terminal.shows(target.pane, '❯ my draft')
    await refused('idle', /its input line is not empty/)
    const asking = await terminal.target()
    await say(terminal, asking.pane, 'ask')
    await terminal.shows(asking.pane, 'Do you want to proceed?')
    const asked = await terminal.perform({ kind: 'set_input', target: asking, params: { text: '1' } })
    expect(asked).toMatchObject({ state: 'failed', evidence: expect.stringMatching(/no input line: a dialog/) })
    expect((await terminal.notes()).filter((note) => 'answered' in note)).toEqual([])
    expect(await terminal.screen(target.pane)).toContain('❯ my draft')
  }),
)

tmuxTest('C103: keys reach the program in its pane and nothing else: no other pane, no list of tmux', () =>
  inTerminal(async (terminal) => {
    const [set, shared] = [terminal.tmux, await terminal.target()]
    const other = await set('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', shared.pane, '--', 'cat')
    await set('set-option', '-w', '-t', shared.pane, 'synchronize-panes', 'on')
    const deaf = await terminal.target()
    await set('select-pane', '-d', '-t', deaf.pane)
    const [clock, list, both] = [await terminal.target(), await terminal.target(), await terminal.target()]
    await set('clock-mode', '-t', clock.pane)
    await set('choose-tree', '-t', list.pane)
    await set('choose-tree', '-t', both.pane)
    await set('copy-mode', '-t', both.pane)
    const windows = await set('list-windows', '-F', '#{window_id}')
    for (const [target, reason] of [
      [shared, /sends keys to all of its panes/],
      [deaf, /takes no keys/],
      [clock, /shows something of tmux itself/],
      [list, /shows something of tmux itself/],
      [both, /shows something of tmux itself/],
    ] as const) {
      // What a list of tmux would take for "close this, yes".
      const outcome = await terminal.perform({ kind: 'set_input', target, params: { text: 'x y' } })
      expect(outcome).toMatchObject({ state: 'failed', evidence: expect.stringMatching(/^no key was pressed: /) })
      expect(outcome.evidence).toMatch(reason)
      expect(await terminal.screen(target.pane)).toMatch(/^❯$/m)
    }
    expect(await terminal.screen(other)).toBe('')
    expect(await set('list-windows', '-F', '#{window_id}')).toBe(windows)
  }),
)

tmuxTest('text of any length is typed; a prompt too long for tmux is refused, with what helps', () =>
  inTerminal(async (terminal) => {
    const target = await terminal.target()
    // One of them would be a command that tmux refuses.
    const text = `${'word '.repeat(200)}${'é'.repeat(10_000)}`
    const outcome = await terminal.perform({ kind: 'set_input', target, params: { text } })
    expect(outcome.evidence).toContain(`typed into pane ${target.pane}`)
    // Right after a paste, and before it, the program takes an Enter for nothing.
    const submitted = await until('it is submitted', async () => {
      await terminal.tmux('send-keys', '-t', target.pane, 'Enter')
      return (await terminal.notes()).flatMap(({ submitted }) => submitted ?? []).find((line) => line !== '')
    })
    expect(submitted).toBe(`[from session lead] ${text}`)
    const windows = await terminal.tmux('list-windows', '-F', '#{window_id}')
    expect(await terminal.create({ prompt: 'p'.repeat(40_000) })).toEqual({
      state: 'failed',
      evidence:
        'tmux says: command too long; the prompt has to be shorter: put most of it into a file and name its path',
    })
    expect(await terminal.tmux('list-windows', '-F', '#{window_id}')).toBe(windows)
  }),
)

tmuxTest('a suspended program gets no keys, and its shell neither', () =>
  inTerminal(async (terminal) => {
    const opened = await terminal.tmux(
      'new-window',
      '-d',
      '-P',
      '-F',
      '#{pane_id}',
      '-t',
      '=a person:',
      '--',
      'bash',
      '--norc',
      '-i',
    )
    await terminal.tmux('send-keys', '-t', opened, '-l', 'claude')
    await terminal.tmux('send-keys', '-t', opened, 'Enter')
    await terminal.shows(opened, '❯')
    const pid = Number((await terminal.notes()).at(-1)?.['pid'])
    const target = await terminal.target({ pane: opened, client: terminal.refTo(pid) })
    expect(await terminal.perform({ kind: 'set_input', target, params: { text: 'in front' } })).toMatchObject({
      state: 'done',
    })
    process.kill(pid, 'SIGSTOP')
    await terminal.shows(opened, 'Stopped')
    const outcome = await terminal.perform({ kind: 'set_input', target, params: { text: 'x' } })
    expect(outcome).toMatchObject({ state: 'failed', evidence: expect.stringMatching(/not in the foreground/) })
    process.kill(pid, 'SIGKILL')
  }),
)

tmuxTest('C097: rename presses Enter apart from the text, once, and looks whether it was done', () =>
  inTerminal(async (terminal) => {
    const target = await terminal.target()
    await terminal.tmux('copy-mode', '-t', target.pane)
    const outcome = await terminal.perform({ kind: 'rename', target, params: { name: 'New name.1' } })
    expect(outcome.state).toBe('done')
    expect(outcome.evidence).toMatch(/^keystrokes: \/rename New name\.1, and its screen says so; tmux rename-window/)
    expect((await terminal.notes()).flatMap(({ submitted }) => submitted ?? [])).toEqual(['/rename New name.1'])
    expect(await terminal.tmux('display-message', '-p', '-t', target.pane, '#{window_name}|#{pane_in_mode}')).toBe(
      'New name.1|0',
    )
    expect(await terminal.screen(target.pane)).toMatch(/^❯$/m)
    // In a window with other panes the name is the person's, and a session that works is not typed into.
    await terminal.tmux('split-window', '-d', '-t', target.pane, '--', 'sleep', '100')
    const shared = await terminal.perform({
      kind: 'rename',
      target: { ...target, activity: 'working' },
      params: { name: 'x' },
    })
    expect(shared).toMatchObject({
      state: 'failed',
      evidence: expect.stringMatching(/it is working.*other panes are in it/),
    })
  }),
)

tmuxTest('cancel presses Escape only while the screen shows a turn, and looks whether it ended', () =>
  inTerminal(async (terminal) => {
    const target = await terminal.target({ activity: 'working' })
    const idle = await terminal.perform({ kind: 'cancel', target })
    expect(idle).toMatchObject({ state: 'failed', evidence: 'its screen shows no turn that could be cancelled' })
    await say(terminal, target.pane, 'work')
    await terminal.shows(target.pane, 'esc to interrupt')
    const asked = await terminal.perform({ kind: 'cancel', target: { ...target, activity: 'needs_permission' } })
    expect(asked).toMatchObject({ state: 'failed', evidence: expect.stringMatching(/no key was pressed/) })
    expect((await terminal.notes()).filter((note) => 'escaped' in note)).toEqual([])
    await terminal.tmux('copy-mode', '-t', target.pane)
    const outcome = await terminal.perform({ kind: 'cancel', target })
    expect(outcome).toEqual({
      state: 'done',
      evidence: `keystrokes: Escape in pane ${target.pane}; its screen shows no turn any more`,
    })
    expect((await terminal.notes()).flatMap(({ escaped }) => escaped ?? [])).toEqual(['working'])
  }),
)

tmuxTest(
  'pin brings a window to the front and unpin back; the others keep their order, and the one in front stays',
  () =>
    inTerminal(async (terminal) => {
      const [b, c, d] = [await terminal.target(), await terminal.target(), await terminal.target()]
      const order = async () =>
        (await terminal.tmux('list-windows', '-F', '#{window_index}:#{pane_id}#{?window_active,*,}')).split('\n')
      const mine = terminal.env['TMUX_PANE']
      const before = [`0:${mine}*`, `1:${b.pane}`, `2:${c.pane}`, `3:${d.pane}`]
      expect(await order()).toEqual(before)
      const pinned = await terminal.perform({ kind: 'pin', target: c })
      expect(pinned).toMatchObject({
        state: 'done',
        evidence: expect.stringMatching(/went 2 to the front, the order of the others is kept/),
      })
      expect(await order()).toEqual([`0:${c.pane}`, `1:${mine}*`, `2:${b.pane}`, `3:${d.pane}`])
      await terminal.perform({ kind: 'pin', target: d })
      expect(await order()).toEqual([`0:${c.pane}`, `1:${d.pane}`, `2:${mine}*`, `3:${b.pane}`])
      expect(await terminal.perform({ kind: 'pin', target: d })).toMatchObject({
        evidence: 'its window is pinned already',
      })
      await terminal.perform({ kind: 'unpin', target: c })
      expect(await order()).toEqual([`0:${d.pane}`, `1:${mine}*`, `2:${b.pane}`, `3:${c.pane}`])
      await terminal.perform({ kind: 'unpin', target: d })
      expect(await order()).toEqual(before)
      expect(await terminal.perform({ kind: 'unpin', target: d })).toMatchObject({
        evidence: 'its window is not pinned',
      })
    }),
)

tmuxTest('switch brings the window to the front, and says so when no terminal shows it', () =>
  inTerminal(async (terminal) => {
    const target = await terminal.target()
    const outcome = await terminal.perform({ kind: 'switch', target })
    expect(await terminal.tmux('display-message', '-p', '-t', '=a person:', '#{pane_id}')).toBe(target.pane)
    expect(outcome).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/no terminal shows that session now/),
      byHand: `tmux -S ${terminal.socket} attach -t '$0'`,
    })
  }),
)

tmuxTest('switch takes the terminal of whoever asks to another tmux session', () =>
  inTerminal(async (terminal) => {
    const target = await terminal.target()
    await terminal.tmux('new-session', '-d', '-s', 'elsewhere', '-n', 'theirs', '--', 'sleep', '1000')
    await terminal.tmux('move-window', '-d', '-s', target.pane, '-t', 'elsewhere:')
    // A person's terminal: another tmux shows the session in one of its panes.
    const outer = path.join(terminal.root, 'outer')
    const show = ['attach', '-t', '=a person']
    await terminal.outer(outer, 'new-session', '-d', '--', 'env', '-u', 'TMUX', 'tmux', '-S', terminal.socket, ...show)
    const shown = () => terminal.tmux('list-clients', '-F', '#{client_session}')
    await until('a terminal shows it', async () => (await shown()) === 'a person')
    const outcome = await terminal.perform({ kind: 'switch', target })
    expect(outcome).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/^tmux switch-client: pane .* "elsewhere" is in front$/),
    })
    expect(await shown()).toBe('elsewhere')
    expect(await terminal.tmux('display-message', '-p', '-t', '=elsewhere:', '#{pane_id}')).toBe(target.pane)
    expect(await terminal.perform({ kind: 'switch', target })).toMatchObject({
      evidence: expect.stringMatching(/^tmux select-window: pane .* is in front$/),
    })
    await terminal.outer(outer, 'kill-server')
  }),
)

tmuxTest('close ends the session’s pane and its program, and leaves the other panes of the window', () =>
  inTerminal(async (terminal) => {
    const target = await terminal.target()
    const other = await terminal.tmux(
      'split-window',
      '-d',
      '-P',
      '-F',
      '#{pane_id}',
      '-t',
      target.pane,
      '--',
      'sleep',
      '100',
    )
    const outcome = await terminal.perform({ kind: 'close', target })
    expect(outcome).toEqual({
      state: 'done',
      evidence: `tmux kill-pane ${target.pane}; its process ${target.client?.pid} has ended`,
    })
    const panes = (await terminal.tmux('list-panes', '-a', '-F', '#{pane_id}')).split('\n')
    expect(panes).toEqual([terminal.env['TMUX_PANE'], other])
  }),
)

/** As a person types. */
async function say(terminal: Terminal, pane: string, text: string): Promise<void> {
  await terminal.tmux('send-keys', '-t', pane, '-l', text)
  await terminal.shows(pane, `❯ ${text}`)
  await new Promise((resolve) => setTimeout(resolve, 250)) // what the program takes for a paste
  await terminal.tmux('send-keys', '-t', pane, 'Enter')
}
