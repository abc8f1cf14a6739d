// Writes the parts of docs/ that the code knows best: `node scripts/run.mjs scripts/gen-docs.ts`.
// With --check it writes nothing and fails when a page differs from the code.
import { readFileSync, writeFileSync } from 'node:fs'
import { ERRORS } from '../src/core/errors.ts'
import { PROMPTS } from '../src/mcp/prompts.ts'
import { TEMPLATES } from '../src/mcp/resources.ts'
import { listing, TOOLS, type ToolListing } from '../src/tools/registry.ts'
import type { JsonSchema } from '../src/tools/schema.ts'
import { TOOLSETS } from '../src/tools/toolsets.ts'
import { hostsPage } from './hosts-page.ts'

const HEAD = '<!-- Written by scripts/gen-docs.ts from the code. Change the code, not this page. -->'

function toolsPage(): string {
  return `${HEAD}
# Tools

Every answer is one JSON object, the same as structured content and as text. A refused call is an error with
\`{ok: false, error: {code, message, hint}}\`; the codes are in [errors.md](errors.md). What the caller should know beside
its answer (unread mail, changes of sessions it follows) rides in the field \`news\`.

Parameters may be written in snake_case too. \`null\` counts as left out, one text stands for a list of one, and anything
else that does not fit is refused with what is accepted. Every tool also takes \`sessionId\`, for servers that several
sessions share.

${TOOLSETS.map((toolset) => toolsetPart(toolset)).join('\n')}
${resourcesPart()}
${promptsPart()}`
}

function toolsetPart({ id, title, description, default: isDefault }: (typeof TOOLSETS)[number]): string {
  const tools = TOOLS.filter((tool) => tool.toolset === id).map(listing)
  return `## ${title}

${description} Toolset \`${id}\`, ${isDefault ? 'on by default' : `switched on with \`--toolsets=${id}\``}.

| tool | title | reads only | safe to repeat |
| --- | --- | --- | --- |
${tools.map(toolRow).join('\n')}

${tools.map(toolPart).join('\n')}`
}

function resourcesPart(): string {
  return `## Resources

One JSON document each, for clients that attach context. \`resources/list\` names the own session and inbox first, then the
other open sessions, in pages; from then on \`notifications/resources/list_changed\` says that a session came or closed, at most
once a second. What does not exist is answered with -32002, what is no resource of this server with -32602.

| resource | what it is |
| --- | --- |
${TEMPLATES.map(({ uriTemplate, description = '' }) => `| \`${uriTemplate}\` | ${description} |`).join('\n')}
`
}

function promptsPart(): string {
  const rows = PROMPTS.map(({ name, description, arguments: args }) => {
    const taken = args.map((arg) => `\`${arg.name}\`${arg.required ? '' : ' (may be left out)'}: ${arg.description}`)
    return `| \`${name}\` | ${description} | ${taken.join('; ')} |`
  })
  return `## Prompts

For a person to pick in the client; their texts tell the model which tools to use, and how. \`to\` is completed with the names of
open sessions. Arguments reach the text quoted.

| prompt | what for | arguments |
| --- | --- | --- |
${rows.join('\n')}
`
}

function toolRow({ name, title, annotations }: ToolListing): string {
  return `| [\`${name}\`](#${name}) | ${title} | ${yes(annotations.readOnlyHint)} | ${yes(annotations.idempotentHint)} |`
}

function toolPart({ name, description, inputSchema }: ToolListing): string {
  const { properties, required = [] } = inputSchema
  const rows = Object.entries(properties).map(
    ([parameter, schema]) =>
      `| \`${parameter}\` | ${typeOf(schema)} | ${yes(required.includes(parameter))} | ${meaningOf(schema)} |`,
  )
  return `### ${name}

${description}

| parameter | type | required | meaning |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`
  const { minimum, maximum } = schema
  if (minimum === undefined) return schema.type ?? 'any'
  return maximum === undefined ? `${schema.type}, at least ${minimum}` : `${schema.type}, ${minimum} to ${maximum}`
}

function meaningOf({ description = '', default: value }: JsonSchema): string {
  const meaning = description.replaceAll('|', '\\|').replaceAll('<', '\\<')
  return value === undefined ? meaning : `${meaning} (default \`${value}\`)`
}

function yes(isTrue: boolean): string {
  return isTrue ? 'yes' : ''
}

function errorsPage(): string {
  return `${HEAD}
# Errors

Every refusal has a \`code\` from this table, a \`message\` that says what was asked and what is true, and a \`hint\` that
says what to do next. A call that is refused changed nothing, unless its message says otherwise.

| code | meaning |
| --- | --- |
${Object.entries(ERRORS)
  .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  .join('\n')}
`
}

const pages = {
  'docs/tools.md': toolsPage(),
  'docs/errors.md': errorsPage(),
  'docs/hosts.md': hostsPage(HEAD),
}
if (process.argv.includes('--check')) {
  const stale = Object.entries(pages).filter(([file, text]) => contentsOf(file) !== text)
  for (const [file] of stale)
    console.error(`${file} differs from the code: run node scripts/run.mjs scripts/gen-docs.ts`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  for (const [file, text] of Object.entries(pages)) writeFileSync(file, text)
}

function contentsOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // missing is as wrong as different
  }
}
