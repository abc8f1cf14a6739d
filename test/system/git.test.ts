import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findGit } from '../../src/system/git.ts'
import { OUTSIDE } from './outside.ts'

let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(OUTSIDE, 'session-mcp-git-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Runs the real git, undisturbed by the developer's own settings. Fails the test when git is missing. */
function git(cwd: string, ...args: string[]): string {
  const done = spawnSync(
    'git',
    ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always', ...args],
    {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
    },
  )
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.error ?? done.stderr}`)
  return done.stdout.trim()
}

function repo(name: string, ...args: string[]): string {
  const path = join(root, name)
  git(root, 'init', '-q', '-b', 'main', ...args, path)
  git(path, 'commit', '-q', '--allow-empty', '-m', 'first')
  return path
}

describe('a checkout', () => {
  it('is found from any folder below it, with its branch, even from one that does not exist', () => {
    const r = repo('r')
    const found = { worktreeRoot: r, repoRoot: r, branch: 'main' }
    expect(findGit(r)).toEqual(found)
    expect(findGit(join(r, 'src/deep/er'))).toEqual(found)
    git(r, 'switch', '-q', '-c', 'feature/ä-1')
    expect(findGit(r)?.branch).toBe('feature/ä-1')
  })

  it('has no branch when HEAD is detached', () => {
    const r = repo('r')
    git(r, 'switch', '-q', '--detach')
    expect(findGit(r)).toEqual({ worktreeRoot: r, repoRoot: r })
  })

  it('C128 that is a linked worktree names its main checkout, wherever it lies', () => {
    const r = repo('r')
    for (const at of [join(root, 'w/1a4b/r'), join(r, '.worktrees/x')]) {
      git(r, 'worktree', 'add', '-q', '-b', `b${at.length}`, at)
      expect(findGit(join(at, 'src'))).toEqual({ worktreeRoot: at, repoRoot: r, branch: `b${at.length}` })
    }
  })

  it('of a bare repository names the repository', () => {
    git(root, 'clone', '-q', '--bare', repo('r'), 'r.git')
    git(join(root, 'r.git'), 'worktree', 'add', '-q', join(root, 'w'), 'main')
    expect(findGit(join(root, 'w'))).toEqual({
      worktreeRoot: join(root, 'w'),
      repoRoot: join(root, 'r.git'),
      branch: 'main',
    })
  })

  it('that is a submodule, or has its git dir elsewhere, is a repository of its own', () => {
    const outer = repo('outer')
    git(outer, 'submodule', '--quiet', 'add', repo('inner'), 'sub')
    const sub = join(outer, 'sub')
    expect(findGit(sub)).toEqual({ worktreeRoot: sub, repoRoot: sub, branch: 'main' })
    const apart = repo('apart', `--separate-git-dir=${join(root, 'store')}`)
    expect(findGit(apart)).toEqual({ worktreeRoot: apart, repoRoot: apart, branch: 'main' })
  })

  it('follows a gitfile with a relative path', () => {
    const r = repo('r')
    git(r, 'worktree', 'add', '-q', '-b', 'x', join(root, 'w'))
    writeFileSync(join(root, 'w/.git'), 'gitdir: ../r/.git/worktrees/w\r\n')
    expect(findGit(join(root, 'w'))).toEqual({ worktreeRoot: join(root, 'w'), repoRoot: r, branch: 'x' })
  })

  it('shows no branch where the branches are in a reftable', () => {
    const r = repo('r')
    writeFileSync(join(r, '.git/HEAD'), 'ref: refs/heads/.invalid\n')
    expect(findGit(r)).toEqual({ worktreeRoot: r, repoRoot: r })
  })
})

describe('no checkout, and no error', () => {
  it.each<[string, string | Buffer]>([
    ['empty', ''],
    ['not a gitfile', 'hello'],
    ['pointing nowhere', 'gitdir: /nowhere/at/all\n'],
    ['holding a zero byte', 'gitdir: /a\0b\n'],
    ['binary', Buffer.from([0xff, 0xfe, 0, 0x80])],
    ['huge', `gitdir: ${'x'.repeat(100_000)}`],
  ])('is found behind a .git file that is %s', (_, content) => {
    writeFileSync(join(root, '.git'), content)
    expect(findGit(join(root, 'src'))).toBeUndefined()
  })

  it.each(['HEAD', 'commondir'])('is found when the %s of a worktree is damaged', (name) => {
    const r = repo('r')
    git(r, 'worktree', 'add', '-q', '-b', 'x', join(root, 'w'))
    const file = join(r, '.git/worktrees/w', name)
    rmSync(file)
    mkdirSync(file)
    const found = findGit(join(root, 'w'))
    // Without commondir it looks like any repository with its git dir elsewhere.
    expect(found?.repoRoot).toBe(name === 'HEAD' ? undefined : join(root, 'w'))
    rmSync(file, { recursive: true })
    writeFileSync(file, name === 'HEAD' ? '' : '../../nothing')
    expect(findGit(join(root, 'w'))).toBeUndefined()
  })

  it('is found where a pipe is called .git or HEAD, and the search does not hang', () => {
    spawnSync('mkfifo', [join(root, '.git')])
    expect(findGit(root)).toBeUndefined()
    mkdirSync(join(root, 'p/.git'), { recursive: true })
    spawnSync('mkfifo', [join(root, 'p/.git/HEAD')])
    expect(findGit(join(root, 'p'))).toBeUndefined()
  })

  it('is found from the root, from a very deep path and from text that is no path', () => {
    for (const path of ['/', `/${'d/'.repeat(2_000)}`, '', 'relative', '/a\0b', '\ud83d']) {
      expect(() => findGit(path)).not.toThrow()
    }
    expect(findGit('/')).toBeUndefined()
  })

  it('passes over an empty .git folder to the checkout around it, as git does', () => {
    const r = repo('r')
    mkdirSync(join(r, 'sub/.git'), { recursive: true })
    expect(findGit(join(r, 'sub'))?.worktreeRoot).toBe(r)
    expect(git(join(r, 'sub'), 'rev-parse', '--show-toplevel')).toBe(r)
  })
})
