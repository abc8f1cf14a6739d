import { type Config, SETTING_NAMES, type SettingName, variableOf } from '../../config.ts'
import { BusError } from '../../core/errors.ts'
import type { OpenedBus } from '../../open.ts'
import { tooOld } from '../../system/node-version.ts'
import { type Context, defineCommand } from '../define.ts'
import { capabilitiesHere, type HostHere, renderCapabilities } from '../doctor/capabilities.ts'
import { type Check, fail, ok } from '../doctor/check.ts'
import { EXIT } from '../exit.ts'
import { kebab } from '../options.ts'
import type { View } from '../output.ts'
import { table } from '../table.ts'
import { wrap } from '../width.ts'
import { count } from '../words.ts'

interface Setting {
  readonly setting: string
  readonly value: string | number | boolean | readonly string[] | null
  readonly source: string
}

export interface Diagnosis {
  readonly healthy: boolean
  readonly version: string
  readonly settings: readonly Setting[]
  readonly warnings: readonly string[]
  readonly checks: readonly Check[]
  /** What works in the hosts that are on this machine, once they are wired. */
  readonly hosts: readonly HostHere[]
}

export default defineCommand({
  name: 'doctor',
  summary: 'check that the bus works here, and say what to do where it does not',
  description: [
    'Prints every setting with where it comes from, then tries for real what the bus needs: a directory of your own, files that can be written and renamed, events for new files, room on the disk, records that can be read.',
    'Ends with 1 when something fails; what only warns works, but not as well as it could.',
  ],
  tellsWarnings: true,
  args: {},
  examples: [{ line: 'session-mcp doctor --json', does: 'for a bug report' }],
  async run(context) {
    const checks = await examine(context)
    const { config, version, out } = context
    const { machineOf } = await import('../install/machine.ts')
    const hosts = capabilitiesHere(machineOf(config))
    const healthy = checks.every(({ level }) => level !== 'fail')
    await out.answer(
      { healthy, version, settings: settingsOf(config), warnings: config.warnings, checks, hosts },
      renderDiagnosis,
    )
    return healthy ? EXIT.ok : EXIT.refused
  },
})

async function examine(context: Context): Promise<Check[]> {
  let opened: OpenedBus | undefined
  const checks = await examineBus({
    ...context,
    async open() {
      opened = await context.open()
      return opened
    },
  })
  const { checkHosts } = await import('../doctor/hosts.ts')
  const { machineOf, programOf } = await import('../install/machine.ts')
  const { config } = context
  const program = programOf(config, process.argv[1] ?? '')
  return [...checks, ...(await checkHosts({ config, machine: machineOf(config), program, opened }))]
}

async function examineBus({ config, open }: Context): Promise<Check[]> {
  const { checkDisk, checkFormat, checkPlace, checkWriting, isThere } = await import('../doctor/home.ts')
  const { checkEvents, checkInotify } = await import('../doctor/events.ts')
  const { checkMail, checkSessions } = await import('../doctor/bus.ts')
  const { home } = config
  const place = checkPlace(home, config.allowForeignHome)
  const checks = [checkNode(process.versions.node), place]
  // Looking must not make a home: what could be said without one is said.
  if (place.level === 'fail' || !isThere(home)) return checks
  const inotify = checkInotify()
  try {
    const opened = await open()
    const writing = checkWriting(home)
    checks.push(checkFormat(home), writing, ...checkDisk(home))
    if (writing.level === 'ok') checks.push(await checkEvents(home))
    if (inotify !== undefined) checks.push(inotify)
    checks.push(...(await checkSessions(opened)), ...(await checkMail(opened)))
  } catch (fault) {
    if (!(fault instanceof BusError)) throw fault
    checks.push(fail('home', fault.message, fault.hint))
  }
  return checks
}

export function checkNode(version: string): Check {
  const old = tooOld(version)
  return old === undefined ? ok('node', `Node ${version}.`) : fail('node', old.text, old.fix)
}

function settingsOf(config: Config): Setting[] {
  return SETTING_NAMES.map((name) => ({
    setting: `--${kebab(name)}`,
    value: config[name] ?? null,
    source: sourceText(config, name),
  }))
}

function sourceText({ sources }: Config, name: SettingName): string {
  return sources[name] === 'environment' ? variableOf(name) : sources[name]
}

export function renderDiagnosis(
  { healthy, version, settings, warnings, checks, hosts }: Diagnosis,
  view: View,
): string {
  const { paint } = view
  const mark = { ok: paint.good('ok  '), warn: paint.warn('warn'), fail: paint.bad('fail') }
  const rows = settings.map(({ setting, value, source }) => [
    { text: setting },
    { text: value === null ? '-' : String(value) },
    { text: source, paint: paint.faint },
  ])
  const lines = checks.flatMap(({ level, text, fix }) => [
    ...wrap(text, view.columns - 6).map((line, i) => `${i === 0 ? mark[level] : '    '}  ${line}`),
    ...(fix === undefined
      ? []
      : wrap(fix, view.columns - 8).map((line, i) => `      ${i === 0 ? paint.strong('>') : ' '} ${line}`)),
  ])
  const failed = checks.filter(({ level }) => level === 'fail').length
  const warned = checks.filter(({ level }) => level === 'warn').length + warnings.length
  return [
    `session-mcp ${version}`,
    '',
    ...table(
      [{ title: 'SETTING' }, { title: 'VALUE', min: 12, keep: 'end' }, { title: 'FROM' }],
      rows,
      view.columns,
      paint.faint,
    ),
    '',
    ...lines,
    ...warnings.flatMap((text) =>
      wrap(text, view.columns - 6).map((line, i) => `${i === 0 ? mark.warn : '    '}  ${line}`),
    ),
    '',
    ...(hosts.length === 0 ? [] : ['What works in the hosts that are here, once they are wired:', '']),
    ...hosts.flatMap((host) => [...renderCapabilities(host, view), '']),
    healthy
      ? warned === 0
        ? 'All is well.'
        : `It works, with ${count(warned, 'warning')}.`
      : `${count(failed, 'check')} failed.`,
  ].join('\n')
}
