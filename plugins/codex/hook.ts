/** The executable behind every hook of Codex. Silent when there is nothing to say. */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { runHook } from '../../hooks/run.ts'
import { createHostPlugin } from '../../src/core/attend.ts'
import { handle, TRAITS } from '../../src/hosts/codex/hook.ts'
import { codex } from '../../src/hosts/codex/host.ts'
import { readPayload } from '../../src/hosts/codex/payload.ts'
import { createDoors } from '../../src/hosts/doors.ts'

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

runHook({
  host: TRAITS.kind,
  doors: () => createDoors([codex], process.env),
  async answer(input, { context, processes }) {
    // A shell stands between Codex and the hook where it does not step aside, which it can only do where it has `exec`.
    const client = () => (process.platform === 'win32' ? undefined : processes.ancestors()[0])
    const payload = readPayload(input, process.env, { client, daemonPid })
    return payload === undefined ? undefined : { json: await handle(createHostPlugin(context, TRAITS), payload) }
  },
})
