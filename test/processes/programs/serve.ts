/** The other end of lab/remote.ts: runs a command per line of stdin, all at once, and answers with a line each. */

import { createInterface } from 'node:readline'

export type Commands = Readonly<Record<string, (input: never) => unknown>>

export function serve(commands: Commands): void {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => void answer(line, commands))
  lines.on('close', () => process.exit(0))
}

async function answer(line: string, commands: Commands): Promise<void> {
  const { id, command, input } = JSON.parse(line) as { id: number; command: string; input: never }
  try {
    const run = commands[command]
    if (run === undefined) throw new Error(`no command ${command}`)
    reply({ id, value: await run(input) })
  } catch (fault) {
    const code = typeof fault === 'object' && fault !== null && 'code' in fault ? String(fault.code) : 'FAULT'
    reply({ id, error: { code, message: describe(fault) } })
  }
}

/** A fault of the system says where it passed through, which its message does not. */
function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  const frames = fault.stack?.match(/(?<= at (?:async |Object\.)?)[\w.]+(?= \(file:)/g) ?? []
  return 'hint' in fault ? fault.message : `${fault.message} (in ${frames.slice(0, 3).join(' < ')})`
}

function reply(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
