/** What the bus can do for a session and to its tab: the rows of the capability table, and what a host says of them. */

/** Each with what is true of a session where it works. */
export const CAPABILITIES = {
  identity: 'it knows its id and name, and its calls count as its own',
  inject: 'at a prompt it is told of mail and of changes in what it follows',
  'mid-turn': 'it is told of them in the middle of a turn',
  continue: 'it is handed a pressing message before it stops',
  wake: 'mail starts a turn while it is idle',
  activity: 'others see what it is doing',
  create: 'it can be opened with create_session',
  switch: 'its tab can be brought to the front',
  close: 'its tab can be closed',
  cancel: 'its turn can be ended',
  rename: 'its tab takes the new name, too',
  set_model: 'its model can be changed',
  set_scene: 'its scene can be changed',
  set_input: 'text can be put into its input line',
  pin: 'its tab can be pinned and unpinned',
} as const

export type Capability = keyof typeof CAPABILITIES

/** A way in which it works. */
export interface Way {
  /** `hooks`, `plugin`, `tmux`, ...: for a wake the word that stands in the record. Of one host each door is there once per capability. */
  readonly door: string
  /** What of the door it is, and where it does not work. */
  readonly note?: string
  /** Where it is there, what follows from the data of the host is not used. */
  readonly alone?: true
}

/** What a wired host can beyond what follows from its `Host` data. What has no line here, and does not follow, does not work. */
export interface Capabilities {
  /** What holds for many of the lines. */
  readonly about?: string
  /** Best way first; what follows from its data comes after them. */
  readonly ways: Readonly<Partial<Record<Capability, readonly Way[]>>>
}

/** That the test of real hosts named `test` ran it and passed. */
export type Proof = readonly [
  kind: string,
  version: string,
  capability: Capability,
  door: string,
  date: string,
  test: string,
]
