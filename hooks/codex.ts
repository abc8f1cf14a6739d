/**
 * The executable behind every hook of Codex. Silent when there is nothing to say; whatever goes wrong on our side, the turn
 * goes on: exit code 0, within 1.2 s, and a line in log/hooks.log for `session-mcp doctor`.
 */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createHostPlugin } from '../src/core/attend.ts'
import { handle, TRAITS } from '../src/hosts/codex/hook.ts'
import { codex } from '../src/hosts/codex/host.ts'
import { readPayload } from '../src/hosts/codex/payload.ts'
import { createDoors } from '../src/hosts/doors.ts'
import { openHookBus } from './open.ts'
import { answer, readInput, silence, startClock } from './run.ts'

/** Where the background server says which process it is: observed, not published, so anything may stand there. */
function daemonPid(): number | undefined {
  const home = process.env['CODEX_HOME'] || path.join(os.homedir(), '.codex')
  try {
    const { pid } = JSON.parse(fs.readFileSync(path.join(home, 'app-server-daemon', 'daemon.pid'), 'utf8'))
    return typeof pid === 'number' ? pid : undefined
  } catch {
    return undefined // none was ever started
  }
}

startClock()
readInput()
  .then(async (raw) => {
    if (raw === undefined) return silence()
    const bus = openHookBus(process.env, process.argv.slice(2), createDoors([codex], process.env))
    try {
      // A shell stands between Codex and the hook where it does not step aside, which it can only do where it has `exec`.
      const client = () => (process.platform === 'win32' ? undefined : bus.processes.ancestors()[0])
      const payload = readPayload(raw, process.env, { client, daemonPid })
      if (payload === undefined) return silence()
      answer(await handle(createHostPlugin(bus.context, TRAITS), payload), undefined)
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
