/** What reaches tmux as an argument, and how long it may take. */
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ownPlace, placeAt } from '../../src/hosts/tmux/place.ts'
import { argument, THEN, tmuxAt } from '../../src/hosts/tmux/run.ts'
import { makeSocketFolder } from '../processes/lab/socket-folder.ts'

let place: string
beforeEach(() => {
  place = makeSocketFolder()
})
afterEach(() => fs.rmSync(place, { recursive: true, force: true }))

function program(script: string): string {
  const file = path.join(place, 'tmux')
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return file
}

/** What tmux makes of one argument (cmd-parse.y, cmd_parse_from_arguments): undefined = a separator. */
function asTmuxReads(text: string): string | undefined {
  if (!text.endsWith(';')) return text
  const rest = text.slice(0, -1)
  return rest.endsWith('\\') ? `${rest.slice(0, -1)};` : undefined
}

describe('an argument', () => {
  it.each(['plain', 'a;', ';', '\\;', 'a\\\\;', '; rest', 'x;;', ''])('arrives as it is: %j', (text) => {
    expect(asTmuxReads(argument(text))).toBe(text)
  })

  it('is a separator only where we say so', () => {
    expect(asTmuxReads(argument(THEN))).toBeUndefined()
  })
})

describe('running tmux', () => {
  it('passes the socket and the arguments on, and neither TMUX nor anything else of the environment', async () => {
    const tmux = tmuxAt(program(`printf '%s|' "$@"; env | cut -d= -f1 | sort | tr '\\n' ' '; pwd`), '/a/socket', {
      PATH: process.env['PATH'],
      HOME: place,
      TMUX: 'other,1,0',
      ANTHROPIC_API_KEY: 'secret',
    })
    const said = await tmux(['list-windows', 'a b;'])
    expect(said).toMatchObject({ ok: true, out: expect.stringMatching(/^-u\|-S\|\/a\/socket\|list-windows\|a b\\;\|/) })
    expect(said.ok && said.out).not.toMatch(/TMUX|ANTHROPIC/)
  })

  it('says what tmux said, and that nothing is known of one that does not answer', async () => {
    expect(await tmuxAt(program('echo "can\'t find pane: %9" >&2; exit 1'), '/s', {})(['x'])).toEqual({
      ok: false,
      why: "tmux says: can't find pane: %9",
      isOpen: false,
    })
    expect(await tmuxAt(path.join(place, 'none'), '/s', {})(['x'])).toMatchObject({ ok: false, isOpen: false })
    expect(await tmuxAt(program('kill -9 $$'), '/s', {})(['x'])).toMatchObject({ ok: false, isOpen: true })
  })
})

describe('which tmux', () => {
  it('is the one this server runs in, else the one whoever asks runs in', async () => {
    const [own, other] = [path.join(place, 'own'), path.join(place, 'other')]
    const servers = [own, other].map((file) => net.createServer().listen(file))
    await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
    program('exit 0')
    const env = { PATH: place }
    const beside = { pane: '%7', terminal: other }
    expect(ownPlace({ ...env, TMUX: `${own},12,0`, TMUX_PANE: '%3' }, beside)).toMatchObject({
      pane: '%3',
      socket: own,
    })
    expect(ownPlace(env, beside)).toMatchObject({ pane: '%7', socket: other })
    expect(ownPlace(env)).toBe('it is not known to run in tmux')
    expect(placeAt({ PATH: '/nowhere' }, beside)).toBe('there is no tmux in the PATH of this server')
    expect(placeAt(env, { ...beside, pane: '%1;x' })).toBe('what its record calls a pane is none')
    for (const server of servers) server.close()
    expect(placeAt(env, { pane: '%7', terminal: path.join(place, 'gone') })).toMatch(/there is no tmux server at/)
    expect(placeAt(env, { pane: '%7', terminal: path.join(place, 'tmux') })).toMatch(/is no socket of tmux/)
  })
})
