/** The client that OpenCode hands to plugins, with sessions in a Map; answers as recorded with 1.18. */

type Info = Record<string, unknown> & { id: string }
interface At {
  readonly path: { readonly id: string }
  readonly body: Record<string, unknown>
}

export interface Client extends Record<string, unknown> {
  add(info: Info): void
  info(id: string): Info | undefined
  /** What it says to every prompt from now on. */
  refusal: unknown
  readonly prompts: string[]
  readonly drafts: string[]
}

/** @param created is told of a session before the call that made it is answered, as OpenCode's own event is. */
export function answeringClient({ created }: { created(info: Info): Promise<void> }): Client {
  const sessions = new Map<string, Info>()
  const prompts: string[] = []
  const drafts: string[] = []
  const groups = {
    async get({ path: { id } }: At) {
      const data = sessions.get(id)
      return data === undefined ? { error: { name: 'NotFoundError' } } : { data }
    },
    async create({ body, query }: { body: Record<string, unknown>; query?: { directory?: string } }) {
      const info = { id: `ses_00000000000${sessions.size}MadeMadeMadeMa`, directory: query?.directory, ...body }
      sessions.set(info.id, info)
      void created(info)
      return { data: info }
    },
    async update({ path: { id }, body }: At) {
      const info = { ...sessions.get(id), id, ...body }
      sessions.set(id, info)
      return { data: info }
    },
    async promptAsync({ body }: At) {
      if (client.refusal !== undefined) return { error: client.refusal }
      prompts.push((body['parts'] as { text: string }[]).map(({ text }) => text).join('\n'))
      return {}
    },
    status: async () => ({ data: {} }),
    abort: async () => ({ data: true }),
  }
  const client: Client = {
    refusal: undefined,
    add: (info) => sessions.set(info.id, info),
    info: (id) => sessions.get(id),
    session: groups,
    config: { providers: async () => ({ data: { providers: [{ id: 'p', models: { m: {}, n: {} } }] } }) },
    tui: {
      publish: async () => ({ data: true }),
      appendPrompt: async ({ body }: { body: { text: string } }) => {
        drafts.push(body.text)
        return { data: true }
      },
    },
    _client: {
      async post({ url, body }: { url: string; body: { model: unknown } }) {
        const id = url.split('/')[3] ?? ''
        sessions.set(id, { ...sessions.get(id), id, model: body.model })
        return { data: true }
      },
    },
    prompts,
    drafts,
  }
  return client
}
