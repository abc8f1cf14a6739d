/** docs/hosts.md: the capability table, from the data of the adapters and from what tests have run. */
import { CAPABILITY_NAMES, type HostCapabilities, hostCapabilities, type Line } from '../src/hosts/capabilities.ts'
import { CAPABILITIES } from '../src/hosts/capability.ts'

const RUNS = 'npm run proofs'

export function hostsPage(head: string): string {
  const all = hostCapabilities()
  const wired = all.filter(({ isWired }) => isWired)
  const others = all.filter(({ isWired }) => !isWired)
  return `${head}
# Hosts: what works where

**tested**: a test has run it on the real host, and passed (\`npm run test:hosts\`); **yes**: it is built and nothing has run it on the real host. Empty:
it does not work there. An action that cannot be done is answered \`unsupported\`, with what a person can do instead ([tabs.md](tabs.md)).

| | ${all.map(({ host }) => `\`${host}\``).join(' | ')} |
| --- |${' --- |'.repeat(all.length)}
${CAPABILITY_NAMES.map((name) => `| ${name} | ${all.map(({ lines }) => cellOf(lines, name)).join(' | ')} |`).join('\n')}

${Object.entries(CAPABILITIES)
  .map(([name, meaning]) => `- **${name}**: ${meaning}`)
  .join('\n')}

\`generic\` is any other MCP client. Sessions of all hosts can look, send, read, wait and follow: that takes our tools alone. What a session is asked
through \`send_message\` while it cannot be woken waits for its next turn.

Doors: \`hooks\` are programs that the host runs at its moments, \`plugin\` is code in its process, \`mcp\` our server alone; \`tmux\`, \`background\` and \`app-server\`
perform from the process that was asked, by [their rules](tabs.md), \`bridge\` through the front end of an IDE. \`file-watch\`, \`queue\`, \`prompt-async\` and
\`push\` are ways to start a turn, in the word that the answer of \`send_message\` has for them.

${wired.map(hostPart).join('\n')}
## Any client with our server alone

${others.map(({ host }) => `\`${host}\``).join(', ')}; and the hosts above where nothing but the server is set up. Nobody has run these:

| capability | door | what | hosts |
| --- | --- | --- | --- |
${[...grouped(others)].map(([row, hosts]) => `| ${row} | ${hosts.join(', ')} |`).join('\n')}

## Where "tested" comes from

A host test ends with \`proves(host, capability, door)\`, which counts once the whole test has passed. \`${RUNS}\` runs the real hosts, writes
what they proved into \`src/hosts/proofs.ts\`, and this page from it; \`npm run test:hosts\` fails when the table claims what none of its tests
proved. \`session-mcp doctor\` shows the lines of the hosts on its machine.
`
}

function cellOf(lines: readonly Line[], name: string): string {
  const ways = lines.find(({ capability }) => capability === name)?.ways ?? []
  if (ways.length === 0) return ''
  return ways.some(({ tested }) => tested.length > 0) ? 'tested' : 'yes'
}

function hostPart({ title, about, lines }: HostCapabilities): string {
  const rows = rowsOf(lines).map(({ name, door, what, tested }) => `| ${name} | ${door} | ${what} | ${tested} |`)
  return `## ${title}
${about === undefined ? '' : `\n${about}\n`}
| capability | door | what | tested with |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

/** Rows that say the same of several hosts, once. */
function grouped(hosts: readonly HostCapabilities[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const name of CAPABILITY_NAMES) {
    for (const { host, lines } of hosts) {
      for (const row of rowsOf(lines).filter((each) => each.name === name && each.door !== '')) {
        const text = `${row.name} | ${row.door} | ${row.what}`
        groups.set(text, [...(groups.get(text) ?? []), `\`${host}\``])
      }
    }
  }
  return groups
}

interface Row {
  readonly name: string
  readonly door: string
  readonly what: string
  readonly tested: string
}

function rowsOf(lines: readonly Line[]): readonly Row[] {
  return lines.flatMap(({ capability, ways, not }): Row[] => {
    if (ways.length === 0)
      return not === undefined ? [] : [{ name: capability, door: '', what: `no: ${not}`, tested: '' }]
    return ways.map(({ door, note = '', tested }) => ({
      name: capability,
      door: `\`${door}\``,
      what: note,
      tested: testedText(tested),
    }))
  })
}

/** Versions that were run on the same day stand together. */
function testedText(tested: Line['ways'][number]['tested']): string {
  const dates = [...new Set(tested.map(({ date }) => date))].sort().reverse()
  return dates
    .map((date) => `${tested.flatMap((each) => (each.date === date ? [each.version] : [])).join(', ')} (${date})`)
    .join('; ')
}
