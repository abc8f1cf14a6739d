/** Every command, in the order help lists them. Loaded when named, so that `serve` starts with nothing else. */

import type { Command } from './define.ts'

type Load = () => Promise<{ readonly default: Command }>

export const COMMANDS: Readonly<Record<string, Load>> = {
  overview: () => import('./commands/overview.ts'),
  watch: () => import('./commands/watch.ts'),
  list: () => import('./commands/list.ts'),
  show: () => import('./commands/show.ts'),
  send: () => import('./commands/send.ts'),
  inbox: () => import('./commands/inbox.ts'),
  status: () => import('./commands/status.ts'),
  wait: () => import('./commands/wait.ts'),
  complete: () => import('./commands/complete.ts'),
  sweep: () => import('./commands/sweep.ts'),
  install: () => import('./commands/install.ts'),
  uninstall: () => import('./commands/uninstall.ts'),
  doctor: () => import('./commands/doctor.ts'),
  statusline: () => import('./commands/statusline.ts'),
  demo: () => import('./commands/demo.ts'),
  serve: () => import('./commands/serve.ts'),
}

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS)

export async function loadCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined) throw new Error(`no command ${name}`)
  return (await load()).default
}
