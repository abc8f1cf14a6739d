/**
 * How the bus is wired into a host's own configuration: which files, which entries in them, and how to tell ours from
 * others'. Data and pure functions; `cli/install` edits the files, `cli/doctor` looks along the same wires.
 */

import type { Capabilities } from './capability.ts'
import type { Environment } from './host.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonPath = readonly (string | number)[]

/** The machine, as far as the place of a host's files depends on it. */
export interface Machine {
  readonly userHome: string
  /** Where it was called from: some hosts keep their plugins in the project. */
  readonly cwd: string
  readonly env: Environment
  readonly isWindows: boolean
  join(...parts: string[]): string
  exists(path: string): boolean
  /** What a file of settings says; undefined where it is missing, or says nothing that can be read. */
  read(path: string): unknown
}

/** What a host is to start, in absolute paths: hosts start programs from anywhere and with any PATH. */
export interface Program {
  readonly node: string
  readonly server: string
  /** The directory of the scripts that hooks run. */
  readonly hooks: string
  /** The directory of the bundles that hosts load. */
  readonly plugins: string
  readonly home: string
  readonly isDefaultHome: boolean
  /** Settings every server of this machine is started with, home included. */
  readonly serverArgs: readonly string[]
}

/** One member of an object: `mcpServers["session-mcp"]`. */
export interface WiredMember {
  readonly label: string
  readonly at: readonly string[]
  readonly value: Json
  /** True for what an install wrote, whatever the paths in it; false for what a person put under the same name. */
  isOurs(value: unknown): boolean
  /** Only written when asked for by this word: there is one of it, and a person may have one of their own. */
  readonly extra?: Extra
}

/** What an install adds only on request. */
export type Extra = 'statusline'

/** An object of lists, such as events with their hooks, in which one item of each named list is ours. */
export interface WiredLists {
  readonly at: readonly string[]
  readonly items: Readonly<Record<string, Json>>
  /** Where in an item of any of the lists ours are: `[[]]` where all of it is, nothing in a foreign one. */
  ours(item: unknown): readonly JsonPath[]
}

/** A file that is ours as a whole: a script in a folder of plugins. */
export interface WiredCopy {
  readonly label: string
  /** The file it is a copy of. */
  readonly from: string
  /** True for what some version of us put there and nobody changed. */
  isOurs(text: string): boolean
}

export interface WiredFile {
  /** Which of the host's files it is, wherever it lies. */
  readonly name: string
  readonly path: string
  /** True where the host reads plain JSON only: one comment, and it ignores the file. */
  readonly isStrict: boolean
  readonly members: readonly WiredMember[]
  readonly lists: readonly WiredLists[]
  /** A sentence, where none of it belongs into this file: what an earlier install left there is taken out. */
  readonly misplaced?: string
  /** Where this is there, the file has no members and no lists. */
  readonly copy?: WiredCopy
  /** What a person should do about entries that are not ours; they work as they are. */
  advice?(root: unknown): { readonly text: string; readonly fix: string } | undefined
  /** A switch elsewhere in the file that makes our entries useless, in a sentence. */
  obstacle?(root: unknown): string | undefined
}

/** What one of our entries starts. */
export interface Launch {
  /** As written: an absolute path, or a program of the system such as `sh`; empty where the host itself runs the scripts. */
  readonly command: string
  readonly node: string
  readonly scripts: readonly string[]
  /** Undefined means the default one. */
  readonly home: string | undefined
}

/** The host's files as they are now, by the name of the file: what each says, and every path it is known by. */
export type HostData = Readonly<
  Record<string, { readonly root: unknown; readonly paths: readonly string[] } | undefined>
>

/** An entry of ours that the host does not run. */
export interface HeldBack {
  /** The event. */
  readonly label: string
  /** `changed since`: it was trusted in another form. */
  readonly why: 'not reviewed' | 'changed since' | 'switched off'
}

/** A switch outside of the files an install writes to, in a sentence, and what to do about it. */
export interface Obstacle {
  readonly text: string
  readonly fix: string
}

/** A session as the host itself lists it. */
export interface Peer {
  readonly pid: number
  readonly hostKey: string
  readonly name: string | undefined
  /** When the process started, as the system tells it; undefined where the host does not say. */
  readonly start: string | undefined
}

/** A program of Node. */
export interface Probe {
  /** Undefined means the one we run in: the host has its own. */
  readonly node?: string
  readonly args: readonly string[]
  readonly input: string
}

export interface Wiring {
  /** The kind of a `Host`. */
  readonly kind: string
  readonly title: string
  /** What its program is called on PATH. */
  readonly binaries: readonly string[]
  /** What sessions of it can do once it is installed, in a few words. */
  readonly gives: string
  /** The same in full. */
  readonly capabilities: Capabilities
  /** Its own environment variables: none of them may reach a program that is tried outside of it. */
  readonly variables: RegExp
  /** The files its entries run beside the server. */
  scripts(machine: Machine, program: Program): readonly string[]
  /** Its directory of settings; where that exists, the host is or was on this machine. */
  directory(machine: Machine): string
  /** Where its bus is unless a person says otherwise; the usual home where this is left out. */
  home?(machine: Machine): string
  /** Set where an install is one of many: what tells this one from those in other projects. */
  place?(machine: Machine): string
  files(machine: Machine, program: Program): readonly WiredFile[]
  /**
   * What to type to have a person's own entry under a member of an extra, and ours; undefined where that cannot be said.
   * @param theirs the value that is there.
   */
  combined?(theirs: unknown, ours: Json): string | undefined
  /** What a member, an item of a list, or a part of one starts; undefined where it starts nothing. */
  launch(entry: unknown): Launch | undefined
  /** What makes our entries useless though they are right: on this machine, or in the current directory. */
  obstacles?(machine: Machine): readonly Obstacle[]
  /** Where the host notes its plugins, and whether one of them is the bus: then everything would run twice. */
  readonly plugins?: { file(machine: Machine): string; hasOurs(content: unknown): boolean }
  /** Where a person has to approve our entries in the host itself: which it holds back, and how they are approved. */
  readonly approval?: { held(data: HostData): readonly HeldBack[]; readonly how: string }
  /** How to try what an entry starts with a harmless moment, on a home made for the purpose; undefined where it is no hook. */
  probe(launch: Launch, home: string): Probe | undefined
  /** The host's own list of running sessions: one JSON file each. */
  readonly peers?: { directory(machine: Machine): string; read(content: unknown): Peer | undefined }
}
