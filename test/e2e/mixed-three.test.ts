/**
 * One task handed round three vendors' agents, all of them in the terminals of one person who ran `session-mcp install`
 * for each: Claude Code asks for a review and waits, Codex is woken, reviews and hands the result on, OpenCode is woken,
 * finishes and answers Claude Code, which is woken and reads it.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import { inChapters } from './lab/chapters.ts'
import { answered, wired as claudeCode, claudeCodeNewest } from './lab/claude-code.ts'
import { codex, wired as codexIn } from './lab/codex.ts'
import { codexHome, endDaemon, trustHooks } from './lab/codex-home.ts'
import type { Conversation, Step } from './lab/conversation.ts'
import type { ModelRequest } from './lab/dialect.ts'
import { conversationOf, identityIn, newIn, proof, reminders } from './lab/heard.ts'
import * as chat from './lab/heard-opencode.ts'
import type { Host } from './lab/host.ts'
import { tabTest } from './lab/installed.ts'
import { modelConfig, opencode, wired as opencodeIn } from './lab/opencode.ts'
import { inPlace, type Place } from './lab/place.ts'
import { proves } from './lab/proves.ts'
import { allShown, readInbox, sendMessage, shown, waitForSessions } from './lab/results.ts'
import type { Tab } from './lab/tab.ts'
import { until } from './lab/until.ts'

const WAKE = /session-mcp wake [0-9a-z]+: \d+ unread messages?\. Use read_inbox\./
const DIFF = '+ const limit = 10 * 1000 // ms'
const FINDING = 'one finding: the unit belongs into the name of `limit`'

/** The same questions to the requests of every host: what is new in it, and all a model was told beside its prompts. */
interface Role {
  readonly host: Host
  readonly name: string
  readonly conversation: Conversation
  newIn(request: ModelRequest): string
  told(request: ModelRequest): string
}

const inConversation = { newIn, told: conversationOf }
/** OpenCode: the block is in the system prompt, made anew for each request. */
const inSystem = {
  newIn: (request: ModelRequest) => (chat.isFirstAfterPrompt(request) ? chat.lastPromptOf(request) : ''),
  told: chat.systemOf,
}

/** A person's HOME with the three hosts in it, each wired by one command. */
async function settle(place: Place, home: string) {
  const me = await codexHome(place, home)
  await writeFile(path.join(me.home, '.claude.json'), JSON.stringify(answered(place)))
  await mkdir(path.join(me.home, '.claude'))
  const config = path.join(me.home, '.config', 'opencode')
  await mkdir(config, { recursive: true })
  await writeFile(path.join(config, 'opencode.json'), JSON.stringify(modelConfig(place.model.url, 'finisher')))
  for (const host of ['claude-code', 'codex', 'opencode']) {
    expect(await me.ours('install', host)).toContain('is wired to the bus at')
  }
  await trustHooks(place, home)
  return me
}

/** Its person tells it who it is, as often as it takes until our tools are offered; resolves to its id when it is idle. */
async function registers(place: Place, tab: Tab, { conversation }: Role): Promise<string> {
  const registered = () => conversation.requests.at(-1)?.exchanges.find(({ tool }) => tool.endsWith('update_session'))
  do {
    const before = conversation.requests.length
    await tab.say('Register.')
    await until('a turn', () => conversation.requests[before])
    await until('its end', async () => {
      const result = registered()?.result
      return result === undefined ? conversation.requests.length > before && !offers(conversation) : true
    })
  } while (registered() === undefined)
  const { id } = z.looseObject({ id: z.string() }).parse(JSON.parse(registered()?.result ?? '{}'))
  await isIdle(place, id)
  return id
}

function offers({ requests }: Conversation): boolean {
  return requests.at(-1)?.tools.some((tool) => tool.endsWith('update_session')) === true
}

/** By its record, and no turn of it is noted that the record lacks. */
async function isIdle(place: Place, id: string): Promise<void> {
  await until(`session ${id} is idle`, async () => {
    const turns = await readdir(path.join(place.busHome, 'turns')).catch(() => [])
    const { [`${id}.json`]: activity } = await byId(place, 'activity')
    return activity?.['state'] === 'idle' && !turns.some((name) => name.replace(/~(.)/g, upper) === id)
  })
}

/** So that what it waits for happens while the wait is really open. */
async function waits(place: Place, id: string): Promise<void> {
  await until(`session ${id} waits`, async () => {
    const { [`${id}.json`]: activity } = await byId(place, 'activity')
    const edges = activity?.['waitingFor']
    return Array.isArray(edges) && edges.length > 0
  })
}

const upper = (_: string, letter: string) => letter.toUpperCase()

async function byId(place: Place, folder: string): Promise<Record<string, Record<string, unknown>>> {
  return Object.fromEntries(
    Object.values(await place.files(folder)).map((file) => [`${String(file['id'])}.json`, file]),
  )
}

const Receipt = z.looseObject({
  recipients: z.tuple([
    z.looseObject({
      stored: z.literal(true),
      place: z.literal('read'),
      turnStartedAt: z.string(),
      readAt: z.string(),
      repliedWith: z.string().optional(),
    }),
  ]),
})

/** The request of a turn that a wake started: who it is, and whose words are quoted in it. */
function wokenIn({ host, name, conversation, newIn, told }: Role, by: string, piece: string): ModelRequest {
  const request = conversation.requests.find((each) => WAKE.test(newIn(each)))
  if (request === undefined) throw new Error(`${name} was not woken`)
  const lines = reminders(told(request))
  const quote = lines.find((line) => line.startsWith(`- from session "${by}" (not the user)`) && line.includes(piece))
  const who = identityIn(told(request))
  expect(who?.name).toBe(name)
  expect(quote, lines.join('\n')).toBeDefined()
  proof(host, `woken by ${WAKE.exec(newIn(request))?.[0]}`)
  proof(host, `the request says: this is session "${who?.name}" (id ${who?.id}) ... ${quote}`)
  return request
}

/** What the send said of the wake. */
function askedBy(sent: z.infer<typeof sendMessage.shape>, door: string) {
  const wake = z
    .looseObject({ wake: z.looseObject({ door: z.string(), outcome: z.string(), evidence: z.string() }) })
    .parse(sent.to[0]).wake
  expect(wake).toMatchObject({ door, outcome: 'unknown' })
  return `${sent.messageId} to ${sent.to[0]?.name}: stored; wake by ${wake.door}: ${wake.evidence}`
}

tabTest(
  'Claude Code asks Codex for a review, Codex hands it to OpenCode, OpenCode answers Claude Code',
  [claudeCodeNewest, codex, opencode],
  async () => {
    await inPlace(async (place) => {
      const me = await settle(place, 'person')
      await writeFile(path.join(place.project, 'change.diff'), `${DIFF}\n`)
      const role = (host: Host, name: string, how: Pick<Role, 'newIn' | 'told'>): Role => ({
        ...{ host, name, conversation: place.model.conversation(name) },
        ...how,
      })
      const asker = role(claudeCodeNewest, 'asker', inConversation)
      const reviewer = role(codex, 'reviewer', inConversation)
      const finisher = role(opencode, 'finisher', inSystem)
      const ids = new Map<Role, string>()

      const play = (each: Role, chapters: Record<string, readonly Step[]>) => {
        const register = { task: `be the ${each.name}`, name: each.name, projectPath: place.project }
        const status = {
          tool: /message_status$/,
          args: () => ({ messageId: shown(each.conversation, sendMessage).messageId }),
        }
        const all = {
          'Register.': [{ tool: /update_session$/, args: register }],
          'session-mcp wake': [],
          'What became of it?': [status],
          ...chapters,
        }
        each.conversation.play(
          inChapters(
            Object.entries(all).map(([prompt, steps]) => ({
              begins: (request) => each.newIn(request).includes(prompt) && offers(each.conversation),
              steps,
            })),
          ),
        )
      }
      play(asker, {
        'Have it reviewed.': [
          {
            tool: /send_message$/,
            args: {
              to: 'reviewer',
              content: 'please review change.diff, and give it to the finisher',
              intent: 'request',
            },
          },
          { tool: /wait_for_sessions$/, args: { sessions: ['reviewer'], orMessage: true, timeout: '100s' } },
          { tool: /read_inbox$/, args: {} },
          { tool: /watch_session$/, args: { sessions: ['finisher'] } },
        ],
        'session-mcp wake': [{ tool: /read_inbox$/, args: {} }],
      })
      const asked = () => shown(reviewer.conversation, readInbox).messages[0]?.id
      play(reviewer, {
        'session-mcp wake': [
          { tool: /read_inbox$/, args: {} },
          { tool: /exec_command$/, args: { cmd: 'cat change.diff' } },
          {
            tool: /send_message$/,
            args: () => ({ to: 'asker', content: 'reviewed; the finisher gets it', replyTo: asked() }),
            after: () => waits(place, ids.get(asker) ?? ''),
          },
          { tool: /send_message$/, args: { to: 'finisher', content: `${FINDING}; tell asker`, intent: 'request' } },
        ],
      })
      play(finisher, {
        'session-mcp wake': [
          { tool: /read_inbox$/, args: {} },
          { tool: /update_session$/, args: { progress: 'finding taken in' } },
          {
            tool: /send_message$/,
            args: () => ({
              to: 'reviewer',
              content: 'taken',
              intent: 'ack',
              replyTo: shown(finisher.conversation, readInbox).messages[0]?.id,
            }),
          },
          {
            tool: /send_message$/,
            args: { to: 'asker', content: 'done: the name is limitMs now' },
            after: () => isIdle(place, ids.get(asker) ?? ''),
          },
        ],
      })

      const tabs = new Map<Role, Tab>()
      const open = async (each: Role, host: Host, ready: RegExp) => {
        const tab = await place.tab(host, each.name, '', { home: 'person' })
        tabs.set(each, tab)
        await tab.shows(ready)
        ids.set(each, await registers(place, tab, each))
        proof(each.host, `registered as ${each.name} (${ids.get(each)}), idle`)
      }
      await open(asker, claudeCode(claudeCodeNewest, 'tab'), /❯/)
      await open(reviewer, codexIn('tab'), /\? for shortcuts/)
      await open(finisher, opencodeIn('tab'), /Ask anything/)

      await tabs.get(asker)?.say('Have it reviewed.')
      const answer = await until('the asker has read the answer', () => {
        const last = asker.conversation.requests.at(-1)
        return last?.exchanges.some(({ result }) => result?.includes('limitMs')) ? last : undefined
      })
      for (const id of ids.values()) await isIdle(place, id)

      const first = shown(asker.conversation, sendMessage)
      proof(asker.host, `asked: ${askedBy(first, 'queue')}`)
      wokenIn(reviewer, 'asker', 'please review change.diff')
      expect(shown(reviewer.conversation, readInbox).messages).toMatchObject([
        { id: first.messageId, from: { name: 'asker' }, intent: 'request' },
      ])
      expect(reviewer.conversation.result('exec_command')).toContain(DIFF)
      const [back, onward] = allShown(reviewer.conversation, sendMessage)
      if (back === undefined || onward === undefined) throw new Error('the reviewer sent too little')
      expect(shown(asker.conversation, waitForSessions)).toMatchObject({
        done: true,
        reason: expect.stringContaining('message'),
      })
      proof(asker.host, `waited; the wait ended with ${back.messageId}, the reviewer's reply`)
      proof(reviewer.host, `handed on: ${askedBy(onward, 'prompt-async')}`)
      wokenIn(finisher, 'reviewer', FINDING.slice(0, 11))
      expect(shown(finisher.conversation, readInbox).messages).toMatchObject([
        { id: onward.messageId, from: { name: 'reviewer' }, content: `${FINDING}; tell asker`, intent: 'request' },
      ])
      const last = shown(finisher.conversation, sendMessage)
      proof(finisher.host, `answered: ${askedBy(last, 'file-watch')}`)
      const woken = wokenIn(asker, 'finisher', 'done: the name is limitMs now')
      expect(reminders(newIn(woken)).join('\n')).toMatch(
        /Followed session "finisher" is active, \w+: "finding taken in"/,
      )
      expect(allShown(asker.conversation, readInbox).map(({ messages }) => messages.map(({ id }) => id))).toEqual([
        [back.messageId],
        [last.messageId],
      ])
      expect(answer.exchanges.at(-1)?.tool).toMatch(/read_inbox$/)

      for (const each of [asker, reviewer, finisher]) {
        const before = each.conversation.requests.length
        await tabs.get(each)?.say('What became of it?')
        await until('its receipt', () => each.conversation.requests[before + 1])
        const { recipients } = Receipt.parse(JSON.parse(each.conversation.result('message_status')))
        const [{ turnStartedAt, readAt, repliedWith }] = recipients
        expect(repliedWith !== undefined).toBe(each !== finisher)
        proof(
          each.host,
          `receipt: stored, turn started ${turnStartedAt}, read ${readAt}, replied ${repliedWith ?? '-'}`,
        )
        await isIdle(place, ids.get(each) ?? '')
        proves(each.host, 'wake')
      }
      expect(Object.keys(await place.files('sessions'))).toHaveLength(3)
      for (const tab of tabs.values()) await tab.end()
      await endDaemon(me)
    })
  },
)
