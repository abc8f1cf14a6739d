/** Is each host wired to the bus, and does the wire carry: from its settings to an answer of the installed hook. */

import fs from 'node:fs'
import path from 'node:path'
import { BusError } from '../../core/errors.ts'
import { WIRINGS } from '../../hosts/table.ts'
import type { Launch, Wiring } from '../../hosts/wiring.ts'
import { isProgram } from '../../system/program.ts'
import { wantedText } from '../install/copy.ts'
import { heldBack, type Look, looksOf, missingIn } from '../install/look.ts'
import { defaultHome, findHost } from '../install/machine.ts'
import { count, listing, typed } from '../words.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { checkHookLog } from './hook-log.ts'
import { tryHook } from './hook-run.ts'
import { type HostsView, strangersOf, unhookedOf } from './peers.ts'
import { tryPlugins } from './plugin-run.ts'
import { checkVersion } from './version.ts'

export async function checkHosts(view: HostsView, wirings: readonly Wiring[] = WIRINGS): Promise<Check[]> {
  const checks: Check[] = []
  for (const wiring of wirings) checks.push(...(await checkHost(wiring, view)))
  return [...checks, ...checkHookLog(view.config.home)]
}

async function checkHost(wiring: Wiring, view: HostsView): Promise<Check[]> {
  const { machine, program } = view
  const { kind, title, plugins } = wiring
  const found = findHost(wiring, machine)
  const hasPlugin = plugins?.hasOurs(machine.read(plugins.file(machine))) === true
  const install = `session-mcp install ${kind}`
  let looks: readonly Look[]
  try {
    looks = looksOf(wiring, machine, program)
  } catch (fault) {
    if (!(fault instanceof BusError)) throw fault
    return [fail('hosts', `${title}: ${fault.message.replace(' Nothing was changed.', '')}`, fault.hint)]
  }
  const isInstalled = looks.some(({ ours }) => ours.length > 0)
  if (found === undefined && !isInstalled) return [ok('hosts', `${title} is not on this machine.`)]
  const peers = await strangersOf(wiring, view, isInstalled ? undefined : `Run ${install}, then restart them.`)
  const obstacles = (wiring.obstacles?.(machine) ?? []).map(({ text, fix }) => warn('hosts', `${title}: ${text}`, fix))
  if (!isInstalled && hasPlugin) {
    const version = await checkVersion(wiring, machine, view.config.env)
    const byPlugin = ok('hosts', `${title} is wired by its plugin session-mcp, which is not looked into here.`)
    return [byPlugin, ...obstacles, ...peers, ...(await unhookedOf(wiring, view)), ...version]
  }
  if (!isInstalled) {
    const text = `${title} is here (${found}), but not wired: its sessions hear of mail only when they look.`
    return [warn('hosts', text, `Run ${install}.`), ...peers]
  }
  const twice = warn(
    'hosts',
    `${title} has the plugin session-mcp as well: both run.`,
    `Remove it, or run session-mcp uninstall ${kind}.`,
  )
  const advice = looks.flatMap(({ file, root }) => file.advice?.(root) ?? [])
  const more = advice.map(({ text, fix }) => warn('hosts', `${title}: ${text}`, fix))
  if (looks.some(isOfOtherVersion)) {
    more.push(warn('hosts', `${title} has plugins of another version of session-mcp.`, `Run ${install}.`))
  }
  return [
    await followWire(wiring, looks, view),
    ...obstacles,
    ...more,
    ...(hasPlugin ? [twice] : []),
    ...peers,
    ...(await unhookedOf(wiring, view)),
    ...(await checkVersion(wiring, machine, view.config.env)),
    ...checkExtras(wiring, looks),
  ]
}

/** What can be had on request; nothing is wrong where it is not there. */
function checkExtras({ kind, title, launch }: Wiring, looks: readonly Look[]): Check[] {
  return looks.flatMap(({ file, ours, byHand, now: { text = '' } }) =>
    file.members.flatMap(({ label, extra, value }) => {
      if (extra === undefined) return []
      if (ours.some((entry) => entry.label === label)) return [ok('hosts', `${title}: the ${label} shows the bus.`)]
      if (!byHand.includes(label)) {
        return [
          ok('hosts', `${title}: the ${label} is free; session-mcp install ${kind} --${extra} shows the bus there.`),
        ]
      }
      const shows = [launch(value)?.scripts[0], `session-mcp ${extra}`].some((part) => part && text.includes(part))
      return [ok('hosts', `${title}: the ${label} is your own${shows ? ', and shows the bus as well' : ''}.`)]
    }),
  )
}

/** Along the wire until it is broken: one line says where, and what mends it. */
async function followWire(wiring: Wiring, looks: readonly Look[], view: HostsView): Promise<Check> {
  const { kind, title } = wiring
  const again = `Run session-mcp install ${kind}.`
  const broken = (text: string, fix = again) => fail('hosts', `${title}: ${text}`, fix)
  for (const { file, ignored } of looks) {
    if (ignored !== undefined) return broken(`${file.path}: ${ignored}`, 'Take it out of the file.')
  }
  for (const { file, ours } of looks) {
    if (file.misplaced !== undefined)
      return broken(`${listing([...new Set(ours.map(({ label }) => label))])} in ${file.path}: ${file.misplaced}`)
  }
  for (const look of looks) {
    const lost = missingIn(look)
    if (lost.length > 0) {
      return broken(`${listing(lost)} ${lost.length === 1 ? 'is' : 'are'} missing in ${look.file.path}.`)
    }
  }
  const launches = looks.flatMap(({ ours }) => ours.flatMap(({ launch }) => launch ?? []))
  for (const launch of launches) {
    const gone = missingPart(launch)
    if (gone !== undefined) return broken(gone)
  }
  const homes = new Set(launches.map(({ home }) => home ?? defaultHome(view.config)))
  if (homes.size > 1) return broken(`its hooks and its server use different buses: ${listing([...homes])}.`)
  const hook = launches.find((launch) => wiring.probe(launch, '') !== undefined)
  const answer = hook === undefined ? undefined : await tryHook(wiring, hook, view.config.env)
  if (answer !== undefined && !answer.isFine) return broken(`the hook ${hook?.scripts.at(-1)} ${answer.text}`)
  const plugins = looks.flatMap(({ file }) => (file.copy !== undefined && file.path.endsWith('.js') ? [file.path] : []))
  const loaded = plugins.length === 0 ? undefined : await tryPlugins(plugins, view.config.env)
  if (loaded?.isFine === false) return broken(`its plugins ${loaded.text}`)
  const [home = view.config.home] = homes
  const entries = looks.flatMap(({ ours }) => ours).length
  const said = loaded === undefined ? `the hook ${answer?.text ?? 'was not tried'}` : `its plugins ${loaded.text}`
  const wired = `${title}: ${count(entries, 'entry', 'entries')} wired; ${said}`
  if (home !== view.config.home && home === wiring.home?.(view.machine)) {
    const move = `session-mcp install ${kind} --home=${typed(view.config.home)} puts its sessions on this one.`
    return ok('hosts', `${wired} Its bus is one of its own, at ${home}; ${move}`)
  }
  if (home !== view.config.home) {
    const fix = `Look at it with --home=${typed(home)}, or run session-mcp install ${kind} to wire it to this one.`
    return warn('hosts', `${wired} Its sessions use the bus at ${home}, not the one at ${view.config.home}.`, fix)
  }
  const held = heldBack(wiring, looks)
  if (held.length > 0 && wiring.approval !== undefined) {
    const hooks = looks.flatMap(({ file, ours }) => (file.lists.length > 0 ? ours : []))
    const reasons = [...new Set(held.map(({ why }) => why))].map((why) => {
      const labels = held.filter((each) => each.why === why).map(({ label }) => label)
      return `${labels.length === hooks.length ? 'any of its hooks' : listing(labels)} (${why})`
    })
    return warn('hosts', `${wired} But ${title} does not run ${listing(reasons)}.`, wiring.approval.how)
  }
  return ok('hosts', wired)
}

/** A copy of ours does not change when session-mcp does. */
function isOfOtherVersion({ file, ours, now }: Look): boolean {
  return file.copy !== undefined && ours.length > 0 && isReadable(file.copy.from) && wantedText('', file) !== now.text
}

/** The first thing an entry starts that cannot be started, in a sentence. */
function missingPart({ command, node, scripts }: Launch): string | undefined {
  const program = [command, node].find((file) => path.isAbsolute(file) && !isProgram(file))
  if (program !== undefined) return `${program}, which it starts, is not there or cannot be run.`
  const script = scripts.find((file) => path.isAbsolute(file) && !isReadable(file))
  return script === undefined ? undefined : `${script}, which it starts, is not there or cannot be read.`
}

function isReadable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.R_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false // why is not the question: it was there when it was installed
  }
}
