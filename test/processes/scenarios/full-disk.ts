/**
 * The delivery run on a small disk that is full half of the time. Holds when the books are right all the same: a refused
 * send leaves nothing, an acknowledged one is read.
 */

import fs from 'node:fs'
import path from 'node:path'
import { makePlace, mountPlace } from '../lab/place.ts'
import { type DeliveryOptions, type DeliveryResult, runDelivery } from './delivery.ts'

/** @returns why not, where no disk can be mounted. */
export async function runFullDisk(
  options: Omit<DeliveryOptions, 'place' | 'journals' | 'tolerate' | 'meanwhile'>,
): Promise<(DeliveryResult & { readonly timesFull: number }) | string> {
  const disk = mountPlace('full', 32)
  if (typeof disk === 'string') return disk
  const notes = makePlace('full-notes')
  const filler = path.join(disk.directory, 'filler')
  let turn = 0
  let timesFull = 0
  try {
    const result = await runDelivery({
      ...options,
      place: disk,
      journals: path.join(notes.directory, 'journals'),
      tolerate: ['DISK_FULL'],
      meanwhile() {
        turn += 1
        if (turn % 4 === 0) {
          fill(filler)
          timesFull += 1
        } else if (turn % 4 === 2) fs.rmSync(filler, { force: true })
      },
    })
    return { ...result, timesFull }
  } finally {
    disk.remove()
    notes.remove()
  }
}

/** To the last byte. */
export function fill(file: string): void {
  for (const bytes of [1_048_576, 65_536, 4_096, 1]) {
    try {
      for (;;) fs.appendFileSync(file, 'f'.repeat(bytes))
    } catch {
      // no room for a piece of this size any more
    }
  }
}
