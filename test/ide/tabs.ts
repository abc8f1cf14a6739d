/** The tabs of the IDE, and what a plugin’s `__actions` do to them. */

import type { PluginAction } from '../../src/core/plugin-module.ts'

/** What the model of a tab does next; there is no model. `$me` in arguments is the id it reads in its system prompt. */
export type Step =
  | { readonly say: string }
  | {
      readonly call: string
      readonly args?: Record<string, unknown>
      readonly server?: string
      /** No plugin is shown the result. */
      readonly isUnseen?: boolean
    }
  /** Goes on when somebody releases it, or the turn is cancelled. */
  | { readonly hold: true }

export interface Tab {
  readonly id: string
  title: string
  projectPath: string
  model: string
  scene: string
  isPinned: boolean
  input: string
  state: 'idle' | 'working'
  isCancelled: boolean
  /** Prompts that wait for the turn to end. */
  readonly waiting: string[]
  readonly steps: Step[]
  /** The system prompt of each request the model was sent. */
  readonly requests: string[]
  /** What a person sees in the tab. */
  readonly chat: { readonly who: 'user' | 'model' | 'tool'; readonly text: string }[]
  release?: (() => void) | undefined
}

export interface Performed {
  readonly id: string
  readonly type: string
  readonly sessionId?: string | undefined
  /** Why nothing happened. */
  readonly fault?: string
}

export interface Desk {
  readonly tabs: Map<string, Tab>
  /** Steps for tabs that are not open yet, by title. */
  readonly scripts: Map<string, Step[]>
  readonly performed: Performed[]
  active: string | undefined
  /** Whether a tab that an action opens gets the id that came with it; else it has one of the IDE’s own. */
  takesIds: boolean
  open(tab: Partial<Tab> & { readonly title: string }): Tab
  find(idOrTitle: string): Tab
}

export function createDesk(): Desk {
  const tabs = new Map<string, Tab>()
  let opened = 0
  const desk: Desk = {
    tabs,
    scripts: new Map(),
    performed: [],
    active: undefined,
    takesIds: false,
    open(given) {
      const tab: Tab = {
        id: `tab-${++opened}`,
        projectPath: '/p/shop',
        model: 'model-1',
        scene: '',
        isPinned: false,
        input: '',
        state: 'idle',
        isCancelled: false,
        waiting: [],
        steps: desk.scripts.get(given.title) ?? [],
        requests: [],
        chat: [],
        ...given,
      }
      tabs.set(tab.id, tab)
      desk.active = tab.id
      return tab
    },
    find(wanted) {
      const tab = tabs.get(wanted) ?? [...tabs.values()].find(({ title }) => title === wanted)
      if (tab === undefined) throw new Error(`no tab ${wanted}`)
      return tab
    },
  }
  return desk
}

/** What actions need of the IDE around the tabs. */
export interface Front {
  /** Starts a turn, or lets the text wait until the running one is over. */
  prompt(tab: Tab, text: string): void
  cancel(tab: Tab): void
  close(tab: Tab): void
}

/** Performs one action, and notes what became of it. */
export function perform(desk: Desk, front: Front, action: PluginAction): void {
  const { id, type, sessionId } = action
  try {
    if (type === 'create_session') {
      const { name = 'New', projectPath = '', prompt = '', model, scene } = action
      const id = desk.takesIds && { id: sessionId }
      const tab = desk.open({ title: name, projectPath, ...id, ...(model && { model }), ...(scene && { scene }) })
      front.prompt(tab, prompt)
    } else {
      const operation = OPERATIONS[type]
      if (operation === undefined) throw new Error(`no action ${String(type)}`)
      const tab = desk.tabs.get(sessionId)
      if (tab === undefined) throw new Error(`no tab ${sessionId}`)
      operation(tab, action, desk, front)
    }
    desk.performed.push({ id, type, sessionId })
  } catch (fault) {
    desk.performed.push({ id, type, sessionId, fault: fault instanceof Error ? fault.message : String(fault) })
  }
}

type Operation = (tab: Tab, action: PluginAction, desk: Desk, front: Front) => void

const OPERATIONS: Readonly<Record<Exclude<PluginAction['type'], 'create_session'>, Operation>> = {
  switch(tab, _, desk) {
    desk.active = tab.id
  },
  close: (tab, _, __, front) => front.close(tab),
  cancel: (tab, _, __, front) => front.cancel(tab),
  set_model(tab, { model }) {
    tab.model = wanted(model)
  },
  set_scene(tab, { scene }) {
    tab.scene = wanted(scene)
  },
  set_input(tab, { text }) {
    tab.input = wanted(text)
  },
  pin(tab) {
    tab.isPinned = true
  },
  unpin(tab) {
    tab.isPinned = false
  },
  send_message: (tab, { text }, _, front) => front.prompt(tab, wanted(text)),
  rename(tab, { name }) {
    tab.title = wanted(name)
  },
}

function wanted(value: string | undefined): string {
  if (value === undefined) throw new Error('a parameter is missing')
  return value
}
