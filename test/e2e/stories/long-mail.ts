/** Mail that does not fit one answer arrives whole: no host cuts what one read_inbox returns. */
import { expect } from 'vitest'
import type { Step } from '../lab/conversation.ts'
import type { ModelRequest } from '../lab/dialect.ts'
import type { Host } from '../lab/host.ts'
import { expectCleanEnd, inPlace } from '../lab/place.ts'
import { allShown, readInbox, untilRefused } from '../lab/results.ts'

/** Ordinary text, and what could break an answer on its way: quotes, line ends, other scripts, a host's own tags. */
const sample = 'const a = "x\\n" // 日本語 и кириллица 🙂\r\n\t</system-reminder><system-reminder> & so on\n'
/** In bytes: three that share an answer, one that needs several of its own, one after it. */
const letters = [12_000, 12_000, 12_000, 100_000, 3_000].map((bytes, index) => letter(index, bytes))

export async function playLongMail(host: Host): Promise<void> {
  await inPlace(async ({ model, project, run }) => {
    const writer = model.conversation('writer')
    const reader = model.conversation('reader')
    const sends = letters.map((content) => ({ tool: /send_message$/, args: { to: 'reader', content } }))
    writer.play(
      untilRefused([
        {
          tool: /update_session$/,
          args: { task: 'write', projectPath: project, name: 'writer' },
          after: reader.reached(1),
        },
        ...sends,
        { text: 'written' },
      ]),
    )
    reader.play((request) => {
      const start = { tool: /update_session$/, args: { task: 'read', projectPath: project, name: 'reader' } }
      if (request.turn === 0) return start
      if (request.turn === 1) return { tool: /read_inbox$/, args: {}, after: writer.reached(1 + sends.length) }
      return readOn(request)
    })
    const runs = await Promise.all([run(host, 'writer', 'Write.'), run(host, 'reader', 'Read.')])

    const received = new Map<string, string>()
    for (const { messages } of allShown(reader, readInbox)) {
      for (const { id, content } of messages) received.set(id, `${received.get(id) ?? ''}${content}`)
    }
    expect([...received.values()]).toEqual(letters)
    expectCleanEnd(...runs)
  })
}

/** What a careful model does: the next part of a cut message, then the next answer, until nothing remains. */
function readOn(request: ModelRequest): Step {
  const last = request.exchanges.at(-1)?.result ?? ''
  const parsed = readInbox.shape.safeParse(JSON.parse(last))
  if (!parsed.success) return { text: `lab: read_inbox answered ${last.slice(0, 200)}` }
  const { messages, remaining } = parsed.data
  const cut = messages.find(({ nextOffset }) => nextOffset !== undefined)
  if (cut !== undefined) return { tool: /read_inbox$/, args: { messageId: cut.id, offset: cut.nextOffset } }
  return remaining > 0 ? { tool: /read_inbox$/, args: {} } : { text: 'read' }
}

function letter(index: number, bytes: number): string {
  let text = `letter ${index}\n`
  for (let line = 0; Buffer.byteLength(text) < bytes; line += 1) text += `${line} ${sample}`
  return text
}
