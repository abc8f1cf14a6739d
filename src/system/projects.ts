/** Project paths: what a person, a model or a host wrote, made into one spelling per folder. */

import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, posix, relative } from 'node:path'
import { BusError } from '../core/errors.ts'
import type { ProjectPath, Projects } from '../core/ports.ts'
import { findGit } from './git.ts'
import { windowsSpelling } from './windows-path.ts'

export interface ProjectsOptions {
  /** What `~` stands for. */
  readonly homeDir: string
  /** Ms since the epoch; for the age of remembered answers only. */
  readonly now?: () => number
}

/** Linux: PATH_MAX. */
const MAX_BYTES = 4_096
/** Long enough for the calls of one turn, short enough that a switched branch or a new worktree shows at once (ms). */
const REMEMBER_MS = 2_000
const REMEMBER_ROWS = 256
const IS_WINDOWS = process.platform === 'win32'
const HINT = 'Pass the absolute path of the folder you work in, such as "/home/me/app", "~/app" or "C:\\app".'

/** Whether this platform's file systems usually take `App` and `app` for one name: the second argument of `projectKey`. */
export const PATHS_FOLD_CASE = IS_WINDOWS || process.platform === 'darwin'

/**
 * Resolves project paths. What exists is followed to its real place; what does not exist (any more, yet, or here) keeps
 * its rest below the nearest folder that does, so a removed worktree still resolves. `..` is taken as text, before
 * symlinks. Spellings of another platform are normalised and never looked up on this one.
 * Answers are up to 2 s old.
 */
export function createProjects({ homeDir, now = Date.now }: ProjectsOptions): Projects {
  const known = new Map<string, { readonly atMs: number; readonly project: ProjectPath }>()
  return {
    resolve(text) {
      const atMs = now()
      const hit = known.get(text)
      if (hit !== undefined && Math.abs(atMs - hit.atMs) < REMEMBER_MS) return hit.project
      const project = resolveProject(text, homeDir)
      if (known.size >= REMEMBER_ROWS) known.clear()
      known.set(text, { atMs, project })
      return project
    },
  }
}

function resolveProject(text: string, homeDir: string): ProjectPath {
  refuseUnfit(text, text)
  const full = /^~(?=$|[\\/])/.test(text) ? underHome(homeDir, text.slice(1)) : text
  const foreign = isSloppyPosix(full) ? undefined : windowsSpelling(full)
  if (foreign === undefined && !full.startsWith('/')) {
    throw new BusError('BAD_PATH', `Project path ${quoted(text)} is not absolute.`, HINT)
  }
  const tidy = foreign ?? withoutSlash(posix.normalize(full))
  const isHere = (foreign !== undefined) === IS_WINDOWS
  const path = isHere ? realPath(tidy) : tidy
  refuseUnfit(path, text)
  if (path === '/' || /^[a-z]:\/$/.test(path)) {
    throw new BusError(
      'BAD_PATH',
      `Project path ${quoted(text)} is the root of the file system, which is nobody’s project.`,
      `Some desktop programs start servers there. ${HINT}`,
    )
  }
  return isHere ? { path, ...repoPlace(path) } : { path }
}

/** Where `path` would be in the main checkout, and the branch that is checked out around it. */
function repoPlace(path: string): Omit<ProjectPath, 'path'> {
  const git = findGit(path)
  if (git === undefined) return {}
  const branch = git.branch === undefined ? undefined : { branch: git.branch }
  if (git.repoRoot === git.worktreeRoot) return { ...branch }
  return { repoPath: realPath(join(git.repoRoot, relative(git.worktreeRoot, path))), ...branch }
}

/** Symlinks followed as far as the path exists; ancestors that cannot be read count as not existing. */
function realPath(path: string): string {
  const rest: string[] = []
  let head = path
  for (;;) {
    try {
      const real = join(realpathSync.native(head), ...rest)
      return IS_WINDOWS ? (windowsSpelling(real) ?? path) : real
    } catch {
      // Missing, forbidden or a loop of links: the folder above may still be real.
      const parent = dirname(head)
      if (parent === head) return path
      rest.unshift(basename(head))
      head = parent
    }
  }
}

function underHome(homeDir: string, rest: string): string {
  return homeDir + rest.replaceAll('\\', '/')
}

/** `//home/me` is a path with a slash too many where /home exists, and `//wsl$/Ubuntu` a share where /wsl$ does not. */
function isSloppyPosix(text: string): boolean {
  const first = /^\/\/([^\\/]+)/.exec(text)?.[1]
  return !IS_WINDOWS && first !== undefined && existsSync(`/${first}`)
}

function refuseUnfit(path: string, asked: string): void {
  if (path === '') throw new BusError('BAD_PATH', 'The project path is empty.', HINT)
  const bytes = Buffer.byteLength(path)
  if (bytes > MAX_BYTES) {
    throw new BusError(
      'BAD_PATH',
      `Project path ${quoted(asked)} has ${bytes} bytes; at most ${MAX_BYTES} are possible.`,
      HINT,
    )
  }
  // Half a surrogate pair cannot be written as UTF-8, so no folder has such a name.
  if (/[\p{Cc}\p{Cs}]/u.test(path)) {
    const name = `Project path ${quoted(asked)} holds a control character or half a character.`
    throw new BusError('BAD_PATH', name, `Remove it, or rename the folder. ${HINT}`)
  }
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function quoted(text: string): string {
  // JSON leaves C1 controls and bidi marks as they are, and this text ends in terminals.
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text).replace(
    /[\p{Cc}\p{Cf}]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
