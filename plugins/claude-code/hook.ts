/** The executable behind every hook of Claude Code. Silent when there is nothing to say. */

import { runHook } from '../../hooks/run.ts'
import { createHostPlugin } from '../../src/core/attend.ts'
import { handle, TRAITS } from '../../src/hosts/claude-code/hook.ts'
import { isOtherHost, readPayload } from '../../src/hosts/claude-code/payload.ts'

runHook({
  host: TRAITS.kind,
  isOurs: (input) => !isOtherHost(process.env, input),
  async answer(input, { context, processes }) {
    const payload = readPayload(input, process.env, processes)
    if (payload === undefined) return undefined
    // As `clientOf` has it, without a look at the process table.
    const hostPid = Number(process.env['CLAUDE_PID'] ?? process.ppid)
    return { ...(await handle(createHostPlugin(context, TRAITS), payload)), hostPid }
  },
})
