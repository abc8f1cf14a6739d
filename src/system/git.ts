/** Which git checkout a folder lies in, from git's own files. Never starts git: hooks have no time for it, and PATH may lie. */

import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

export interface Checkout {
  /** The folder that holds `.git`. */
  readonly worktreeRoot: string
  /** The main checkout; for a bare repository the repository itself. Same as `worktreeRoot` outside linked worktrees. */
  readonly repoRoot: string
  /** Undefined when HEAD is detached or its branch is kept elsewhere. */
  readonly branch?: string
}

const MAX_LEVELS = 256
/** HEAD, commondir and gitfiles are one line each (bytes). */
const MAX_FILE_BYTES = 8_192

/**
 * The checkout around an absolute path that may or may not exist. Anything missing, damaged or unreadable is no
 * checkout; never throws. Paths come back as git wrote them: symlinks are not resolved.
 *
 * gitrepository-layout(5), git 2.39: a `.git` file says `gitdir: <path>`; the git dir of a linked worktree has
 * `commondir`, that of a submodule or of --separate-git-dir has none, so these are repositories of their own.
 */
export function findGit(path: string): Checkout | undefined {
  let folder = path
  for (let level = 0; level < MAX_LEVELS; level++) {
    const mark = join(folder, '.git')
    const kind = kindOf(mark)
    if (kind === 'file') return fromGitfile(folder, mark)
    // An empty folder named .git does not stop git's own search either.
    const head = kind === 'folder' ? readLine(join(mark, 'HEAD')) : undefined
    if (head !== undefined) return checkout(folder, folder, head)
    const parent = dirname(folder)
    if (parent === folder) return undefined
    folder = parent
  }
  return undefined
}

function fromGitfile(folder: string, mark: string): Checkout | undefined {
  const target = /^gitdir: (.+)$/.exec(readLine(mark) ?? '')?.[1]
  if (target === undefined) return undefined
  const gitDir = resolve(folder, target)
  const head = readLine(join(gitDir, 'HEAD'))
  if (head === undefined) return undefined
  const common = readLine(join(gitDir, 'commondir'))
  if (common === undefined) return checkout(folder, folder, head)
  const commonDir = resolve(gitDir, common)
  if (readLine(join(commonDir, 'HEAD')) === undefined) return undefined
  return checkout(folder, basename(commonDir) === '.git' ? dirname(commonDir) : commonDir, head)
}

function checkout(worktreeRoot: string, repoRoot: string, head: string): Checkout {
  // No branch starts with a dot; repositories with reftables keep `refs/heads/.invalid` here (git docs, reftable).
  const branch = /^ref: refs\/heads\/([^.\p{Cc}]\P{Cc}*)$/u.exec(head)?.[1]
  return { worktreeRoot, repoRoot, ...(branch !== undefined && { branch }) }
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  try {
    const stat = statSync(path)
    return stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : undefined
  } catch {
    return undefined // missing or not ours to see: either way no checkout we can read
  }
}

function readLine(path: string): string | undefined {
  try {
    const stat = statSync(path)
    // Looked at first, because reading a pipe of that name would never return.
    if (!stat.isFile() || stat.size > MAX_FILE_BYTES) return undefined
    return readFileSync(path, 'utf8').replace(/[\r\n]+$/, '') || undefined
  } catch {
    return undefined // gone or unreadable: no checkout
  }
}
