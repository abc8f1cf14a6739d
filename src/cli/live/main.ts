/** The live view at work: looks at the bus when something may have changed, does what keys ask for, draws. */

import type { Bus, GlanceInput } from '../../core/bus.ts'
import { type Caller, HUMAN_ID } from '../../core/caller.ts'
import type { Watch } from '../../core/ports.ts'
import { renderComplete } from '../commands/complete.ts'
import { renderSend } from '../commands/send.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import type { View } from '../output.ts'
import type { Paint } from '../paint.ts'
import { oneLine, safeAnswer } from '../safe-text.ts'
import { type Frame, frameOf } from './frame.ts'
import { look } from './look.ts'
import { openScreen, type Screen } from './screen.ts'
import { type Effect, type Named, type Notice, startState } from './state.ts'
import { openTerminal, type Streams } from './terminal.ts'
import { type Event, inView, update } from './update.ts'

/** What it works with. It is a file of its own in the build, so it must not make anything that others compare by identity. */
export interface LiveSetup {
  readonly bus: Bus
  readonly caller: Caller
  /** Who sends and reads. @throws where the shell cannot say. */
  acting(): Caller
  readonly filter: GlanceInput
  readonly version: string
  readonly home: string
  readonly you: string | undefined
  readonly view: View
  readonly plainPaint: Paint
  readonly streams: Streams
  watchSessions(hint: () => void): Watch
  watchInbox(id: string, hint: () => void): Watch
  closing(target: Named): Promise<Caller>
  /** Where the session runs, and what the person can type to get there. */
  open(target: Named): Promise<string>
  /** What a fault says to a person. */
  told(fault: unknown): string
}

/** Between two looks where nothing hints at a change: ages grow, processes end, mail of others arrives (ms). */
const IDLE_MS = 2_000
/** Hints are never followed sooner than so many times as long as the last look took: a busy bus does not make us busy. */
const REST = 4
const LEAST_REST_MS = 60
const EXIT_OF_SIGNAL: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
  SIGQUIT: 131,
}

export function live(setup: LiveSetup): Promise<ExitCode> {
  const { bus, streams, told } = setup
  return new Promise((resolve, reject) => {
    const watches: Watch[] = []
    let screen: Screen | undefined
    let shown: Frame | undefined
    const terminal = openTerminal(streams, {
      resized(size) {
        shown = undefined
        dispatch({ kind: 'sized', size })
      },
      ended(signal) {
        process.exit(EXIT_OF_SIGNAL[signal] ?? 1)
      },
    })
    const { version, home, you, filter } = setup
    const isNarrowed = Object.values(filter).some((value) => value !== undefined)
    let state = startState({ size: terminal.size(), version, home, you, isNarrowed })
    let isOver = false
    let drawing: NodeJS.Immediate | undefined
    let timer: NodeJS.Timeout | undefined
    let dueMs = 0
    let isLooking = false
    let wanted: 'asked' | 'hint' | undefined
    let tookMs = 0
    let lastLookMs = 0

    const view = (): View => ({ ...setup.view, nowMs: Date.now() })
    const draw = () => {
      drawing ??= setImmediate(() => {
        drawing = undefined
        if (isOver) return
        guarded(() => {
          const frame = frameOf(state, view())
          // Most looks change nothing that is seen, and laying out what stands there already costs more than the look.
          if (shown !== undefined && isSame(frame, shown)) return
          shown = frame
          screen?.show(frame)
        })
      })
    }
    const dispatch = (event: Event) => {
      if (isOver) return
      guarded(() => {
        const next = update(state, event, { ...view(), columns: state.size.columns })
        state = next.state
        draw()
        for (const effect of next.effects) perform(effect)
      })
    }
    const say = (tone: Notice['tone'], text: string, messageId?: string) =>
      dispatch({ kind: 'noticed', notice: { tone, text, ...(messageId !== undefined && { messageId }) } })

    /** A look, soon. Many wishes are one look; what only hints at a change waits longer where looks are costly. */
    const wantLook = (why: 'asked' | 'hint' | 'idle') => {
      if (isOver) return
      if (isLooking) {
        if (why !== 'idle' && wanted !== 'asked') wanted = why
        return
      }
      const restMs = why === 'hint' ? Math.max(LEAST_REST_MS, tookMs * REST) : LEAST_REST_MS
      const atMs = why === 'idle' ? performance.now() + IDLE_MS : Math.max(performance.now(), lastLookMs + restMs)
      if (timer !== undefined && dueMs <= atMs) return
      clearTimeout(timer)
      dueMs = atMs
      timer = setTimeout(() => void lookNow(), atMs - performance.now())
    }
    const lookNow = async () => {
      timer = undefined
      isLooking = true
      const startedMs = performance.now()
      try {
        const asked = inView(state)
        const looked = await look(setup, state, asked)
        dispatch({ kind: 'looked', looked })
        // The first rows there are, or others than before, have mail nobody has counted yet.
        if (inView(state).some((id) => !asked.includes(id))) wanted = 'asked'
        await followReceipt()
      } catch (fault) {
        say('warn', told(fault))
      }
      isLooking = false
      lastLookMs = performance.now()
      tookMs = lastLookMs - startedMs
      const why = wanted ?? 'idle'
      wanted = undefined
      wantLook(why)
    }
    /** What became of the message that was sent last, for as long as the remark about it stands. */
    const followReceipt = async () => {
      const { notice } = state
      if (notice?.messageId === undefined) return
      const { recipients } = await bus.receipt(setup.acting(), notice.messageId)
      const text = recipients.map(({ name, to, evidence }) => `${name ?? to}: ${evidence}`).join('; ')
      if (state.notice === notice && oneLine(text) !== notice.text && recipients.some(({ readAt }) => readAt)) {
        say('good', oneLine(text))
      }
    }

    const perform = (effect: Effect) => {
      switch (effect.kind) {
        case 'look':
          return wantLook('asked')
        case 'redraw':
          shown = undefined
          return terminal.forget()
        case 'suspend':
          return terminal.suspend()
        case 'quit':
          return finish(() => resolve(effect.how === 'asked' ? EXIT.ok : EXIT.interrupted))
        default:
          act(effect).catch((fault) => {
            if (effect.kind === 'send') dispatch({ kind: 'unsent', sending: effect, why: told(fault) })
            else say('warn', told(fault))
          })
      }
    }
    const act = async (effect: Extract<Effect, { kind: 'send' | 'complete' | 'open' }>) => {
      if (effect.kind === 'open') return say('plain', await setup.open(effect.target))
      if (effect.kind === 'complete') {
        const answer = await bus.complete(await setup.closing(effect.target), {})
        say('good', lineOf(renderComplete(safeAnswer(answer), plain())))
        return wantLook('asked')
      }
      const { to, text, replyTo, isRequest } = effect
      const intent = isRequest ? ('request' as const) : undefined
      const where = replyTo === undefined ? { to: [to.id] } : { replyTo }
      const answer = await bus.send(setup.acting(), { ...where, content: text, intent })
      // Without its last line, which says how to ask for the receipt: the receipt comes by itself.
      const lines = renderSend(safeAnswer(answer), plain()).split('\n')
      if (answer.to.length === 0) return dispatch({ kind: 'unsent', sending: effect, why: lineOf(lines.join('\n')) })
      say('good', lineOf(lines.slice(0, -1).join('\n')), answer.messageId)
      wantLook('asked')
    }
    const plain = (): View => ({ ...view(), paint: setup.plainPaint, columns: Number.POSITIVE_INFINITY })

    const finish = (then: () => void) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      clearImmediate(drawing)
      for (const watch of watches) watch.close()
      screen?.close()
      terminal.leave()
      then()
    }
    const guarded = (run: () => void) => {
      try {
        run()
      } catch (fault) {
        finish(() => reject(fault))
      }
    }

    guarded(() => {
      screen = openScreen(terminal, streams, (key) => dispatch({ kind: 'key', key }))
      watches.push(setup.watchSessions(() => wantLook('hint')))
      const own = setup.caller.kind === 'session' ? setup.caller.id : HUMAN_ID
      watches.push(setup.watchInbox(own, () => wantLook('hint')))
      draw()
      wantLook('asked')
    })
  })
}

function isSame(a: Frame, b: Frame): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function lineOf(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}
