/**
 * All hosts the bus knows, a row each. A new one is a folder beside this file, a folder in plugins/ where its sessions are to
 * be told anything, and a row here.
 */

import { claudeCode } from './claude-code/host.ts'
import { claudeCodeWiring } from './claude-code/wiring.ts'
import { codex } from './codex/host.ts'
import { codexWiring } from './codex/wiring.ts'
import { copilot } from './copilot/host.ts'
import { cursor } from './cursor/host.ts'
import { engineer } from './engineer/host.ts'
import { engineerWiring } from './engineer/wiring.ts'
import { gemini } from './gemini/host.ts'
import { generic } from './generic/host.ts'
import type { Host } from './host.ts'
import { msun } from './msun/host.ts'
import { msunWiring } from './msun/wiring.ts'
import { opencode } from './opencode/host.ts'
import { opencodeWiring } from './opencode/wiring.ts'
import { vscode } from './vscode/host.ts'
import type { Wiring } from './wiring.ts'

interface Row {
  readonly host: Host
  /** Absent where `install` can do nothing for it. */
  readonly wiring?: Wiring
}

/** In the order in which `install` and `doctor` name them. */
const ROWS: readonly Row[] = [
  { host: claudeCode, wiring: claudeCodeWiring },
  { host: codex, wiring: codexWiring },
  { host: opencode, wiring: opencodeWiring },
  { host: msun, wiring: msunWiring },
  { host: engineer, wiring: engineerWiring },
  { host: copilot },
  { host: cursor },
  { host: gemini },
  { host: vscode },
  { host: generic },
]

/** By name, and last what is no host in particular. */
export const HOSTS: readonly Host[] = [
  ...ROWS.flatMap(({ host }) => (host === generic ? [] : [host])).sort((a, b) => (a.kind < b.kind ? -1 : 1)),
  generic,
]

export const WIRINGS: readonly Wiring[] = ROWS.flatMap(({ wiring }) => wiring ?? [])
