/** Which session a conversation of a host belongs to, and the marks its hooks look at. */

import fs from 'node:fs'
import { isId } from '../../core/ids.ts'
import type { ProcessRef } from '../../core/ports.ts'
import type { Binding, HostStore } from '../../core/ports-hosts.ts'
import { errorCode, factsIfThere, namesIn, readIfThere, removeIfThere, replace } from '../../system/atomic-file.ts'
import { processTag } from '../../system/process.ts'
import type { Home } from './home.ts'
import { inside } from './layout.ts'

const MAX_BYTES = 16 * 1024

export function fileHosts(home: Home): HostStore {
  const { at } = home
  // Asked at every call, nearly always about the same process.
  let last: { readonly client: ProcessRef; readonly file: string } | undefined
  const clientFile = (client: ProcessRef): string => {
    if (last?.client !== client) last = { client, file: at.client(processTag(client)) }
    return last.file
  }

  const load = (file: string): Binding | undefined => {
    try {
      const got = readIfThere(file, MAX_BYTES)
      const raw = got === undefined ? undefined : (JSON.parse(got.text) as Partial<Binding>)
      return raw !== undefined && isId(raw.sessionId ?? '') && isId(raw.hostKey ?? '') ? (raw as Binding) : undefined
    } catch {
      return undefined // a damaged binding is made again at the next start of the session
    }
  }
  const all = (directory: string): [string, Binding][] =>
    namesIn(directory).flatMap((name) => {
      const file = inside(directory, name)
      const binding = load(file)
      return binding === undefined ? [] : [[file, binding] as [string, Binding]]
    })
  const touch = (file: string) => {
    const now = new Date()
    home.write(() => {
      try {
        fs.utimesSync(file, now, now)
      } catch (fault) {
        if (errorCode(fault) !== 'ENOENT') throw fault
        fs.writeFileSync(file, '', { mode: 0o600 })
      }
    })
  }

  /** @returns false where it was there. */
  const make = (file: string): boolean =>
    home.write(() => {
      try {
        fs.closeSync(fs.openSync(file, 'wx', 0o600))
        return true
      } catch (fault) {
        if (errorCode(fault) !== 'EEXIST') throw fault
        return false
      }
    })
  // Nearly always there is nothing, and a look costs less than a refused removal.
  const clear = (file: string) => {
    if (factsIfThere(file) !== undefined) removeIfThere(file)
  }

  return {
    async bind(binding) {
      const text = JSON.stringify(binding)
      home.write(() => {
        replace(home.tmp(), at.host(binding.hostKey), text, 'process')
        if (binding.client !== undefined) replace(home.tmp(), clientFile(binding.client), text, 'process')
      })
    },
    async find(hostKey) {
      return load(at.host(hostKey))
    },
    async ofClient(client: ProcessRef) {
      return load(clientFile(client))
    },
    async ofTranscript(transcript) {
      const found = all(at.hosts).filter(([, binding]) => binding.transcript === transcript)
      return found.map(([, binding]) => binding).sort((a, b) => (a.boundAt < b.boundAt ? 1 : -1))[0]
    },
    async drop(isOver) {
      for (const [file, binding] of [...all(at.hosts), ...all(at.clients)]) {
        if (!isOver(binding)) continue
        removeIfThere(file)
        removeIfThere(at.pending(binding.hostKey))
        removeIfThere(at.wake(binding.hostKey))
        removeIfThere(at.gated(binding.hostKey))
        removeIfThere(at.turn(binding.hostKey))
      }
    },
    async mark(hostKey) {
      make(at.pending(hostKey))
    },
    async unmark(hostKey) {
      clear(at.pending(hostKey))
    },
    async gate(hostKey) {
      return factsIfThere(at.gated(hostKey)) === undefined && make(at.gated(hostKey))
    },
    async ungate(hostKey) {
      clear(at.gated(hostKey))
    },
    async beginTurn(hostKey) {
      make(at.turn(hostKey))
    },
    async endTurn(hostKey) {
      clear(at.turn(hostKey))
    },
    async touchWake(hostKey) {
      touch(at.wake(hostKey))
      return at.wake(hostKey)
    },
  }
}
