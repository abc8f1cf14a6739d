import { thisWorld } from '../../config.ts'
import { refusal } from '../../core/errors.ts'
import { defineCommand } from '../define.ts'
import { FILTER_ARGS, filterOf } from '../filter.ts'
import { wrongUsage } from '../options.ts'
import { createPaint } from '../paint.ts'
import { nameOf } from '../session-rows.ts'
import { inCommandWords } from '../tool-words.ts'
import { isRunning, whereItRuns } from '../where.ts'
import { actingCaller, closingCaller } from '../who.ts'

export default defineCommand({
  name: 'watch',
  summary: 'a live view of all sessions, with keys to read, write and complete',
  description: [
    'Fills the terminal with the sessions of every project and keeps them true: who needs you comes first (a permission, an answer, a question to you, being blocked), then what works, what is idle and what is over.',
    'Keys: arrows or j and k select, Enter shows everything about a session, o goes to it, m looks at its mail, w writes to it, c completes it, i reads your own mail, / filters, ? explains all keys, q quits.',
    'What you write comes from you, or, in the shell of a session, from that session. Your own mail becomes read when you open it; the mail of others is only looked at.',
  ],
  args: {
    ...FILTER_ARGS,
  },
  examples: [
    { line: 'session-mcp watch', does: 'all sessions' },
    { line: 'session-mcp watch --project=.', does: 'those of this project' },
  ],
  exits: ['interrupted'],
  hasNoJson: true,
  async run({ config, version, out, open, shell, stdin }, args) {
    if (!stdin.isTerminal || process.stdout.isTTY !== true) {
      throw wrongUsage(
        'watch draws on a terminal, and its input or output is not one.',
        'Use session-mcp list, with --json for a script.',
      )
    }
    if (thisWorld().env['TERM'] === 'dumb') {
      throw wrongUsage(
        'watch draws on the whole screen, which this terminal cannot do (TERM=dumb).',
        'Use session-mcp list, or set TERM to what the terminal is.',
      )
    }
    const { bus, store, home } = await open()
    const who = await shell()
    const filter = filterOf(args)
    // It shows mail.
    if (who.caller.kind === 'nobody') actingCaller(who)
    // What can be refused is refused before the screen is taken.
    await bus.glance(who.caller, filter)
    // Its own file in the build: no other command, and no server, pays for a terminal library.
    const { live } = await import('../live/main.ts')
    return live({
      bus,
      caller: who.caller,
      acting: () => actingCaller(who),
      filter,
      version,
      home: config.home === home ? config.home : home,
      you: who.session === undefined ? undefined : nameOf(who.session),
      view: out.view,
      plainPaint: createPaint(false),
      streams: { stdin: process.stdin, stdout: process.stdout },
      watchSessions: (hint) => store.sessions.watch(() => hint()),
      watchInbox: (id, hint) => store.inbox.watch(id, hint),
      closing: async ({ id, label }) => closingCaller(who, label, id, await store.sessions.read(id)),
      async open({ id }) {
        const entry = await store.sessions.read(id)
        if (!isRunning(entry)) return whereItRuns(entry)
        const { action } = await bus.manage(await actingCaller(who), { session: id, operation: 'switch' })
        if (action.state === 'done') return action.evidence
        return `${whereItRuns(entry)} (not brought to the front: ${action.evidence})`
      },
      told(fault) {
        const { message, hint } = refusal(fault).error
        return inCommandWords(`${message} ${hint}`)
      },
    })
  },
})
