/** What a person does in a shell before a host is started: the host’s own commands, and ours. */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { labPath } from './ground.ts'
import { entry, type Host } from './host.ts'
import { installed } from './installed.ts'
import type { Place } from './place.ts'

const run = promisify(execFile)

export interface Person {
  /** HOME of the conversation `name` of a place. */
  readonly home: string
  /** `claude ...` @throws Error with all it said. */
  host(host: Host, ...args: string[]): Promise<string>
  /** Any program. @throws Error with all it said. */
  run(program: string, ...args: string[]): Promise<string>
  /** `session-mcp ...`; also where it exits with another code than 0. */
  ours(...args: string[]): Promise<string>
}

export async function person(place: Place, name: string): Promise<Person> {
  const home = path.join(place.root, name, 'home')
  await mkdir(home, { recursive: true })
  const command = async (file: string, args: readonly string[]) => {
    const env = {
      PATH: labPath(),
      HOME: home,
      SESSION_MCP_HOME: place.busHome,
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Nothing may leave the machine.
      HTTPS_PROXY: place.model.url,
      HTTP_PROXY: place.model.url,
      NO_PROXY: '127.0.0.1,localhost',
    }
    const { stdout, stderr } = await run(file, args, { cwd: place.project, env })
    return `${stdout}${stderr}`
  }
  return {
    home,
    run: (program, ...args) => command(program, args),
    host(host, ...args) {
      const found = installed(host)
      if ('missing' in found) throw new Error(found.missing)
      return command(found.executable, args)
    },
    ours: (...args) =>
      command(process.execPath, [entry, ...args]).catch((fault: { stdout?: string; stderr?: string }) => {
        if (fault.stdout === undefined) throw fault
        return `${fault.stdout}${fault.stderr}`
      }),
  }
}
