/**
 * The executable behind every hook of Claude Code. Silent when there is nothing to say; whatever goes wrong on our side,
 * the turn goes on: exit code 0, within 1.2 s, and a line in log/hooks.log for `session-mcp doctor`.
 */

import path from 'node:path'
import { createHostPlugin } from '../src/core/attend.ts'
import { handle, TRAITS } from '../src/hosts/claude-code/hook.ts'
import { isOtherHost, readPayload } from '../src/hosts/claude-code/payload.ts'
import { openHookBus } from './open.ts'
import { answer, readInput, silence, startClock, touchAgain } from './run.ts'

startClock()
readInput()
  .then(async (raw) => {
    if (raw === undefined || isOtherHost(process.env, raw)) return silence()
    const bus = openHookBus(process.env, process.argv.slice(2))
    try {
      const payload = readPayload(raw, process.env, bus.processes)
      if (payload === undefined) return silence()
      const { json, wake, wakeFile } = await handle(createHostPlugin(bus.context, TRAITS), payload)
      if (wakeFile !== undefined) touchAgain(wakeFile)
      answer(json, wake)
    } catch (fault) {
      bus.log.error('hook', {
        host: TRAITS.kind,
        event: String(raw['hook_event_name']),
        fault,
        script: path.basename(__filename),
      })
      silence()
    }
  })
  .catch(silence)
