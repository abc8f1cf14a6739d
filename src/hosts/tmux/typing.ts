/** What needs keystrokes: the input line, the host's own rename, breaking a turn off. */

import type { Action, ActionTarget, Outcome } from '../../core/action.ts'
import { typedText } from '../../core/typed.ts'
import type { Reading, Screen } from '../host.ts'
import { clearWay, pause, press, type, within } from './keys.ts'
import { notListening, type Pane } from './pane.ts'
import type { Place } from './place.ts'
import type { Said } from './run.ts'
import { readScreen, textOn } from './screen.ts'

/** A pane that was checked to be the target's. */
export interface Tab {
  readonly place: Place
  readonly pane: Pane
  readonly screen: Screen
}

/** How long a program may take to show what was typed, ms. */
const SHOW_MS = 2_000
/** How long it may take to do it, ms. */
const DO_MS = 4_000

export async function setInput({ id, by, target, params }: Action, tab: Tab): Promise<Outcome> {
  const why = await notEmpty(tab, target)
  if (why !== undefined) return { state: 'failed', evidence: `nothing was typed: ${why}` }
  const typed = await keys(tab, () => type(tab.place, typedText({ by, params }), id))
  if (typed !== undefined) return typed
  const shown = await within(SHOW_MS, async () => ((await inputOf(tab)) ? true : undefined))
  return shown
    ? { state: 'done', evidence: `keystrokes: typed into pane ${tab.pane.id} and not sent; its input line shows it` }
    : { state: 'unknown', evidence: `keystrokes: typed into pane ${tab.pane.id}, but its input line does not show it` }
}

/** The host's own rename. @returns why it was not done, or by what evidence it was. */
export async function renameInHost(
  { id, target, params }: Action,
  tab: Tab,
): Promise<{ readonly done: string } | { readonly not: string }> {
  const { rename } = tab.screen
  if (rename === undefined) return { not: 'its host has no command for it that was tried' }
  const why = await notEmpty(tab, target)
  if (why !== undefined) return { not: `its host was not told: ${why}` }
  const name = params.name ?? ''
  const line = rename.line(name)
  const typed = await keys(tab, () => type(tab.place, line, id))
  if (typed !== undefined) return { not: typed.evidence }
  const isThere = await within(SHOW_MS, async () => ((await inputOf(tab)) === line ? true : undefined))
  if (!isThere)
    return { not: `keystrokes: ${line} was typed and is not what its input line shows; Enter was not pressed` }
  await pause()
  const entered = await keys(tab, () => press(tab.place, 'Enter'))
  if (entered !== undefined) return { not: `keystrokes: ${line} was typed; ${entered.evidence}` }
  const said = await within(DO_MS, async () =>
    (await textOn(tab.place)).includes(rename.said(name)) ? true : undefined,
  )
  return said
    ? { done: `keystrokes: ${line}, and its screen says so` }
    : { not: `keystrokes: ${line} and Enter, and its screen does not say that it was done` }
}

/** Escape, only while the screen shows a turn and no dialog. */
export async function cancel({ target }: Action, tab: Tab): Promise<Outcome> {
  const { place, pane, screen } = tab
  const why = waitsForPerson(target) ?? notListening(target.client)
  if (why !== undefined) return { state: 'failed', evidence: `no key was pressed: ${why}` }
  const before = await readScreen(place, screen)
  if (typeof before === 'string') return { state: 'failed', evidence: `no key was pressed: ${before}` }
  if (!before.isWorking) return { state: 'failed', evidence: 'its screen shows no turn that could be cancelled' }
  const pressed = await keys(tab, () => press(place, 'Escape'))
  if (pressed !== undefined) return pressed
  const after = await within(DO_MS, async () => {
    const now = await readScreen(place, screen)
    return typeof now !== 'string' && !now.isWorking ? now : undefined
  })
  if (after === undefined) {
    return { state: 'unknown', evidence: `keystrokes: Escape in pane ${pane.id}; its screen still shows a turn` }
  }
  return {
    state: 'done',
    evidence: `keystrokes: Escape in pane ${pane.id}; its screen shows no turn any more${left(before, after)}`,
  }
}

/** Claude Code puts a prompt that was not answered yet back into its input line. */
function left(before: Reading, after: Reading): string {
  return before.input === '' && after.input !== '' ? ', and the prompt stands in its input line again' : ''
}

/** Why nothing may be typed now; undefined where the session is idle and its input line is there and empty. */
async function notEmpty({ place, screen }: Tab, target: ActionTarget): Promise<string | undefined> {
  const why = waitsForPerson(target) ?? notListening(target.client)
  if (why !== undefined) return why
  if (target.activity !== 'idle') {
    return `it is ${target.activity ?? 'unknown'}, and only a session that is seen to be idle is typed into: a dialog may come any time`
  }
  const reading = await readScreen(place, screen)
  if (typeof reading === 'string') return reading
  if (reading.isWorking) return 'its screen shows a turn'
  return reading.input === '' ? undefined : 'its input line is not empty: somebody may be writing there'
}

function waitsForPerson({ activity }: ActionTarget): string | undefined {
  return activity === 'needs_permission' || activity === 'needs_input'
    ? `its host waits for the person (${activity}), and the dialog would take the keys`
    : undefined
}

/** @returns how it ended where it did not go well. */
async function keys({ place }: Tab, go: () => Promise<Said>): Promise<Outcome | undefined> {
  const clear = await clearWay(place)
  if (!clear.ok) return { state: 'failed', evidence: `no key was pressed: ${clear.why}` }
  const said = await go()
  if (said.ok) return undefined
  return { state: said.isOpen ? 'unknown' : 'failed', evidence: said.why }
}

async function inputOf({ place, screen }: Tab): Promise<string> {
  const reading = await readScreen(place, screen)
  return typeof reading === 'string' ? '' : reading.input
}
