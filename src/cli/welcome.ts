/** What a machine without sessions is told: three steps, each to be copied as it stands. */

import type { View } from './output.ts'
import { wrap } from './width.ts'
import { typed } from './words.ts'

/** @param isLive it stands where the sessions will be seen. */
export function welcome(
  { version, home }: { readonly version: string; readonly home: string },
  view: View,
  script: string | undefined,
  isLive = false,
): string {
  const { paint, columns } = view
  const program = script ?? 'session-mcp'
  const command = `node ${typed(program)}`
  const json = JSON.stringify({ mcpServers: { 'session-mcp': { command: 'node', args: [program] } } })
  const step = (title: string, body: readonly string[]) => ['', paint.strong(title), ...body]
  const copy = (who: string, text: string) => [`  ${who}`, `    ${paint.name(text)}`]
  return [
    ...wrap(`session-mcp ${version}: one bus for every AI coding session on this machine.`, columns),
    ...wrap(`No session has registered yet (${home}).`, columns),
    ...step('1. Connect a client, once', [
      ...copy('Claude Code', `claude mcp add --scope user session-mcp -- ${command}`),
      ...copy('Codex', `codex mcp add session-mcp -- ${command}`),
      ...copy('Others, in their MCP configuration', json),
    ]),
    ...step(
      '2. Start a session in it, and say',
      wrap('"Register with session-mcp, then tell me which other sessions there are."', columns - 4).map(
        (line) => `    ${line}`,
      ),
    ),
    ...(isLive
      ? step('3. Look here', ['  It appears by itself, with what it does and what it needs.'])
      : step('3. Look again', copy('Who is there, and what they do', 'session-mcp'))),
    '',
    ...wrap(
      'See it work without a client: session-mcp demo. Check this machine: session-mcp doctor. All commands: session-mcp help.',
      columns,
    ),
  ].join('\n')
}
