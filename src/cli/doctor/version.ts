/** Whether a host here is newer than all that tests have run: what it changed since then may be why something is missing. */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { hostCapabilities } from '../../hosts/capabilities.ts'
import type { Environment } from '../../hosts/host.ts'
import type { Machine, Wiring } from '../../hosts/wiring.ts'
import { findProgram } from '../install/machine.ts'
import { type Check, ok } from './check.ts'
import { run } from './hook-run.ts'

type Version = readonly [major: number, minor: number, patch: number]

/** Nothing where its program is not here or says no version, where nothing was tested, and where the version is known. */
export async function checkVersion(wiring: Wiring, machine: Machine, env: Environment): Promise<Check[]> {
  const { kind, title, binaries } = wiring
  const program = findProgram(binaries, machine)
  const tested = testedWith(kind)
  if (program === undefined || tested === undefined) return []
  const here = await versionOf(program, env)
  if (here === undefined || compare(here, tested) <= 0) return []
  return [
    ok(
      'hosts',
      `${title} ${here.join('.')} is newer than ${tested.join('.')}, the last one that tests have run: something may have changed.`,
    ),
  ]
}

function testedWith(kind: string): Version | undefined {
  const lines = hostCapabilities().find(({ host }) => host === kind)?.lines ?? []
  const versions = lines.flatMap(({ ways }) => ways.flatMap(({ tested }) => tested.map(({ version }) => read(version))))
  return versions
    .filter((version) => version !== undefined)
    .sort(compare)
    .at(-1)
}

/** Some make folders of their own even then: not in a home that is only looked at. */
async function versionOf(program: string, env: Environment): Promise<Version | undefined> {
  let folder: string | undefined
  try {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'session-mcp-doctor-'))
    const away = Object.fromEntries(['CONFIG', 'CACHE', 'DATA', 'STATE'].map((kind) => [`XDG_${kind}_HOME`, folder]))
    return read((await run(program, ['--version'], '', { ...env, ...away })).stdout)
  } catch {
    return undefined // cannot be started: whether the host works is not asked here
  } finally {
    if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true })
  }
}

function read(text: string): Version | undefined {
  const [, major, minor, patch] = /(?:^|[^\d.])(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(text) ?? []
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)]
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}
