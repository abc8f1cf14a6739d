/** The library: open a bus from your own program, or put the rules on a store of your own. */

export type { Action, ActionKind, ActionState, ActionTarget, Operation, Outcome } from './core/action.ts'
export { ACTIVITIES, type Activity, type ActivityState } from './core/activity.ts'
export type {
  CompleteAnswer,
  Delivery,
  InboxAnswer,
  ListAnswer,
  MessageView,
  News,
  ReceiptAnswer,
  SendAnswer,
  SessionRow,
  SessionView,
  SweepAnswer,
  UpdateAnswer,
  WaitAnswer,
  WatchAnswer,
} from './core/answers.ts'
export type { ActionAnswer, ActionRow, CreateAnswer, ManageAnswer } from './core/answers-actions.ts'
export type {
  Bus,
  CompleteInput,
  CreateInput,
  GlanceInput,
  HandOver,
  ListInput,
  ManageInput,
  ReadInput,
  SendInput,
  UpdateInput,
  WaitInput,
  WaitOptions,
  WatchInput,
} from './core/bus.ts'
export { type Caller, type CallerHints, type CallerHost, type Connection, HUMAN } from './core/caller.ts'
export type { BusDeps, BusOptions } from './core/context.ts'
export { createBus } from './core/create-bus.ts'
export { BusError, ERRORS, type ErrorCode, type Refusal } from './core/errors.ts'
export type {
  ContinueMoment,
  Conversation,
  HostPlugin,
  HostTraits,
  Injection,
  Notice,
  Started,
  StartSource,
  ToolResult,
  ToolResultReply,
} from './core/host-plugin.ts'
export type { Message } from './core/message.ts'
export type { PluginAction, PluginAnswer, PluginContext, PluginModule } from './core/plugin-module.ts'
export type { Clock, Entry, Processes, ProcessRef, Projects, Random, Store } from './core/ports.ts'
export type { Executor, HostExecutor, Offer } from './core/ports-actions.ts'
export type { RosterWatch } from './core/roster-watch.ts'
export { type Session, STATUSES, type Status } from './core/session.ts'
export type { GlanceAnswer, Sight } from './core/sight.ts'
export { type OpenedBus, type OpenOptions, openBus } from './open.ts'
export { type FileStore, type FileStoreOptions, fileStore } from './store/files/store.ts'
