/** The capability table: what each host can do, by which door, and which tests have run it on the real host. */

import { CAPABILITIES, type Capability, type Way } from './capability.ts'
import type { Host } from './host.ts'
import { PROOFS } from './proofs.ts'
import { HOSTS, WIRINGS } from './table.ts'
import { tmuxOffers } from './tmux/ways.ts'

export const CAPABILITY_NAMES = Object.keys(CAPABILITIES) as readonly Capability[]

export interface Tested {
  readonly version: string
  /** YYYY-MM-DD */
  readonly date: string
  readonly test: string
}

/** Best way first; empty where it does not work. */
export interface Line {
  readonly capability: Capability
  readonly ways: readonly (Omit<Way, 'alone'> & { readonly tested: readonly Tested[] })[]
  /** Why it does not work, where that is known. */
  readonly not?: string
}

export interface HostCapabilities {
  readonly host: string
  readonly title: string
  readonly about?: string
  /** False where only what every MCP client and every terminal program has is there. */
  readonly isWired: boolean
  readonly lines: readonly Line[]
}

export function hostCapabilities(): readonly HostCapabilities[] {
  return HOSTS.map((host) => {
    const wiring = WIRINGS.find(({ kind }) => kind === host.kind)
    const { ways = {}, about } = wiring?.capabilities ?? {}
    return {
      host: host.kind,
      title: wiring?.title ?? host.kind,
      ...(about !== undefined && { about }),
      isWired: wiring !== undefined,
      lines: CAPABILITY_NAMES.map((capability) => lineOf(host, capability, ways[capability])),
    }
  })
}

function lineOf(host: Host, capability: Capability, own: readonly Way[] = atLeast(host, capability)): Line {
  const derived = tmuxOffers(host, capability)
  const isAlone = own.some(({ alone }) => alone)
  const ways = derived !== undefined && 'way' in derived && !isAlone ? [...own, derived.way] : own
  return {
    capability,
    ways: ways.map(({ alone, ...way }) => ({ ...way, tested: testedOf(host.kind, capability, way.door) })),
    ...(ways.length === 0 && derived !== undefined && 'not' in derived && { not: derived.not }),
  }
}

/** What any client has that starts our server, wired or not. */
function atLeast(host: Host, capability: Capability): readonly Way[] {
  switch (capability) {
    case 'identity':
      return [{ door: 'mcp', note: identityByMcp(host) }]
    case 'mid-turn':
      return [{ door: 'mcp', note: 'in the answers of our tools, beside what was asked for' }]
    case 'activity':
      return [{ door: 'mcp', note: 'only that it has ended: its process is gone' }]
    default:
      return []
  }
}

function identityByMcp({ metaKeys, envSession, sharedServer }: Host): string {
  if (metaKeys[0] !== undefined) return `each call carries \`_meta.${metaKeys[0]}\``
  if (envSession !== undefined) return `its server is started with \`${envSession}\``
  if (sharedServer) return 'the model passes `sessionId` with each call'
  return 'one server process per session, which registers with `update_session`'
}

function testedOf(kind: string, capability: Capability, door: string): readonly Tested[] {
  return PROOFS.flatMap(([of, version, what, by, date, test]) =>
    of === kind && what === capability && by === door ? [{ version, date, test }] : [],
  )
}
