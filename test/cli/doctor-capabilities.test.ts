import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { capabilitiesHere, renderCapabilities } from '../../src/cli/doctor/capabilities.ts'
import { createPaint } from '../../src/cli/paint.ts'
import type { HostCapabilities } from '../../src/hosts/capabilities.ts'
import { openPlace, type Place } from './install-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const view = { columns: 60, paint: createPaint(false), nowMs: 0, userHome: '/home/me' }
const tested = [
  { version: '2.0.1', date: '2026-02-01', test: 'a' },
  { version: '1.0.0', date: '2026-03-01', test: 'b' },
]

it('shows the hosts that are here, by their program or their directory, and no other', () => {
  const bin = path.join(place.root, 'bin')
  const here = () => capabilitiesHere({ ...place.machine, env: { PATH: bin } }).map(({ host }) => host)
  expect(here()).toEqual([])
  fs.mkdirSync(bin)
  fs.writeFileSync(path.join(bin, 'gemini'), '', { mode: 0o755 })
  fs.mkdirSync(path.dirname(place.settings), { recursive: true })
  expect(here()).toEqual(['claude-code', 'gemini'])
})

it('shows one line for each door, what no test has run, and what does not work', () => {
  const host: HostCapabilities = {
    host: 'some',
    title: 'Some Host',
    isWired: true,
    lines: [
      { capability: 'identity', ways: [{ door: 'hooks', tested }] },
      { capability: 'inject', ways: [{ door: 'hooks', tested: [] }] },
      { capability: 'wake', ways: [{ door: 'file-watch', tested }] },
      {
        capability: 'create',
        ways: [
          { door: 'background', tested },
          { door: 'tmux', tested: [] },
        ],
      },
      ...(['switch', 'close', 'cancel', 'rename', 'set_input', 'pin'] as const).map((capability) => ({
        capability,
        ways: [{ door: 'tmux', tested }],
      })),
      { capability: 'set_model', ways: [], not: 'nobody knows how' },
    ],
  }
  expect(renderCapabilities(host, view).join('\n')).toMatchInlineSnapshot(`
    "Some Host  tested with 1.0.0 and 2.0.1, last on 2026-03-01
      hooks       identity, inject*
      file-watch  wake
      background  create
      tmux        create*, switch, close, cancel, rename,
                  set_input, pin
      not         set_model
      * no test has run it on the real host"
  `)
})

it('says of a host that nothing has run that it is not tested', () => {
  const host: HostCapabilities = {
    host: 'some',
    title: 'Some Host',
    isWired: false,
    lines: [{ capability: 'mid-turn', ways: [{ door: 'mcp', tested: [] }] }],
  }
  expect(renderCapabilities(host, view)[0]).toBe('Some Host  not tested')
})
