/** What a model of OpenCode was told: its system prompt, made anew for each request, and the conversation itself. */
import { z } from 'zod'
import type { ModelRequest } from './dialect.ts'

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().default('') }))]).nullish()
const Body = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: Content })),
})

/** All system messages of a request, one text. */
export function systemOf({ body }: Pick<ModelRequest, 'body'>): string {
  return textOf(body, (role) => role === 'system')
}

/** What persons, and we in their place, said. */
export function promptsOf({ body }: Pick<ModelRequest, 'body'>): string[] {
  return Body.parse(body)
    .messages.filter(({ role }) => role === 'user')
    .map(({ content }) => plain(content))
}

export function lastPromptOf(request: Pick<ModelRequest, 'body'>): string {
  return promptsOf(request).at(-1) ?? ''
}

/** Everything but the system prompt. */
export function conversationOf({ body }: Pick<ModelRequest, 'body'>): string {
  return textOf(body, (role) => role !== 'system')
}

export function modelOf({ body }: Pick<ModelRequest, 'body'>): string {
  return Body.parse(body).model
}

/** True once the model has been asked after `prompt` for the first time in that turn: no tool has answered yet. */
export function isFirstAfterPrompt({ body }: Pick<ModelRequest, 'body'>): boolean {
  return Body.parse(body).messages.at(-1)?.role === 'user'
}

function textOf(body: unknown, isWanted: (role: string) => boolean): string {
  return Body.parse(body)
    .messages.filter(({ role }) => isWanted(role))
    .map(({ content }) => plain(content))
    .join('\n')
}

function plain(content: z.infer<typeof Content>): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n')
}
