/** A process that reads everything under a home while others write it, and tells what it could not read whole. */

import fs from 'node:fs'
import { createInterface } from 'node:readline'
import { bundleProgram } from './bundle.ts'
import { isRunning, start } from './processes.ts'
import { until } from './until.ts'

export interface Looker {
  /** Files read so far, as far as it has said. */
  looked(): number
  end(): Promise<{ readonly files: number; readonly torn: readonly string[] }>
}

/** @param report where it leaves what it saw, outside home. */
export async function startLooker(home: string, report: string): Promise<Looker> {
  const child = start(process.execPath, [await bundleProgram('test/processes/programs/looker.ts'), home, report])
  let said: number | undefined
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      said = Number(line)
    })
  }
  return {
    looked: () => said ?? 0,
    end: async () => {
      // Before that it may not know yet what to do when it is told to end.
      await until('the looker has looked', () => said !== undefined)
      child.kill('SIGTERM')
      await until('the looker ends', () => child.pid === undefined || !isRunning(child.pid))
      return JSON.parse(fs.readFileSync(report, 'utf8')) as { files: number; torn: string[] }
    },
  }
}
