import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BusError } from '../../src/core/errors.ts'
import { projectKey } from '../../src/core/project.ts'
import { createProjects } from '../../src/system/projects.ts'
import { OUTSIDE } from './outside.ts'

let root: string
let home: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(OUTSIDE, 'session-mcp-projects-')))
  home = join(root, 'home')
  mkdirSync(home)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const resolve = (text: string, homeDir = home) => createProjects({ homeDir }).resolve(text)
const key = (text: string, homeDir = home) => projectKey(resolve(text, homeDir), false)

function refusal(text: string): BusError {
  try {
    resolve(text)
  } catch (fault) {
    if (fault instanceof BusError) return fault
    throw fault
  }
  throw new Error(`${JSON.stringify(text)} was accepted`)
}

function git(cwd: string, ...args: string[]): void {
  const done = spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
  })
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.error ?? done.stderr}`)
}

/** A repository at <root>/p/r with a worktree at <root>/w/1a4b/r, and `src` in both. */
function repoWithWorktree(): { repo: string; tree: string } {
  const repo = join(root, 'p/r')
  const tree = join(root, 'w/1a4b/r')
  git(root, 'init', '-q', '-b', 'main', repo)
  mkdirSync(join(repo, 'src'))
  writeFileSync(join(repo, 'src/a'), 'a')
  git(repo, 'add', '.')
  git(repo, 'commit', '-q', '-m', 'first')
  git(repo, 'worktree', 'add', '-q', '-b', 'topic', tree)
  return { repo, tree }
}

describe('a project path', () => {
  it('C112 a folder and a symlink to it are one project, also below a symlinked parent', () => {
    mkdirSync(join(root, 'R/app'), { recursive: true })
    symlinkSync(join(root, 'R'), join(root, 'L'))
    symlinkSync(join(root, 'L/app'), join(root, 'LL'))
    for (const text of ['R/app', 'L/app', 'LL', 'L/app/', 'L//app/.', 'L/app/x/..'])
      expect(resolve(`${root}/${text}`)).toEqual({ path: join(root, 'R/app') })
    expect(resolve(`${root}/L/app/not/there`).path).toBe(join(root, 'R/app/not/there'))
  })

  it('C114 with letters outside ASCII comes back unchanged, and equal lengths do not collide', () => {
    const paths = ['/p/서울/app', '/p/부산/app', '/p/Да/app', '/p/Нет/app', '/p/عم/app', '/p/é/app', '/p/e\u0301x/app']
    for (const path of paths) expect(resolve(path)).toEqual({ path })
    expect(new Set(paths.map((path) => key(path))).size).toBe(paths.length)
  })

  it('C114 in composed and decomposed form is one project, shown as it was given', () => {
    expect(resolve('/p/e\u0301').path).toBe('/p/e\u0301')
    expect(key('/p/e\u0301')).toBe(key('/p/\u00e9'))
  })

  it('C116 that differs only in "_", "." and "-" is another project', () => {
    expect(new Set(['/p/my_app', '/p/my.app', '/p/my-app', '/p/my/app'].map((path) => key(path))).size).toBe(4)
  })

  it('C118 inside another project is a project of its own', () => {
    expect(key('/home/u/sub')).not.toBe(key('/home/u'))
    expect(key('/home/u/')).toBe(key('/home/u'))
  })

  it('A15 with spaces, "@" and a mail address is taken as it is', () => {
    const path = '/Users/u/Library/CloudStorage/GoogleDrive-u@example.com/My Drive/app '
    expect(resolve(path)).toEqual({ path })
  })

  it('stands for the home directory as "~", and is no other user’s as "~name"', () => {
    expect(resolve('~').path).toBe(home)
    expect(resolve('~/').path).toBe(home)
    expect(resolve('~/x/../y').path).toBe(join(home, 'y'))
    expect(refusal('~root/x').code).toBe('BAD_PATH')
  })

  it('that cannot be followed is kept as text: a file in the way, a loop, a dangling link', () => {
    writeFileSync(join(root, 'file'), '')
    symlinkSync(join(root, 'loop'), join(root, 'loop'))
    symlinkSync(join(root, 'nowhere'), join(root, 'dangling'))
    for (const name of ['file/x', 'loop/x', 'dangling', `${'n'.repeat(300)}/x`]) {
      expect(resolve(join(root, name)).path).toBe(join(root, name))
    }
  })

  it('is looked up again after two seconds, so a branch or folder that changed is seen', () => {
    let ms = 0
    const projects = createProjects({ homeDir: home, now: () => ms })
    const link = join(root, 'link')
    expect(projects.resolve(link).path).toBe(link)
    symlinkSync(home, link)
    ms = 1_900
    expect(projects.resolve(link).path).toBe(link)
    ms = 2_000
    expect(projects.resolve(link).path).toBe(home)
  })
})

describe('a Windows path, on any platform', () => {
  it('A13 is one project in three spellings', () => {
    const windowsHome = 'C:\\Users\\u'
    expect(resolve('C:\\Users\\u\\Project\\Study\\ABC')).toEqual({ path: 'c:/Users/u/Project/Study/ABC' })
    const spellings = [
      'C:\\Users\\u\\Project\\Study\\ABC',
      'c:\\Users\\u\\project/study\\abc\\',
      '~\\Project\\Study\\ABC',
    ]
    expect(new Set(spellings.map((text) => key(text, windowsHome))).size).toBe(1)
  })

  it('A17 of a share is one project with slashes and with backslashes', () => {
    const spellings = [
      '\\\\wsl$\\Ubuntu\\home\\u',
      '//wsl$/Ubuntu/home/u',
      '\\\\wsl$/Ubuntu\\home\\u\\',
      '//WSL$/Ubuntu/home/u/x/..',
    ]
    expect(resolve('\\\\wsl$\\Ubuntu\\home\\u')).toEqual({ path: '//wsl$/Ubuntu/home/u' })
    expect(new Set(spellings.map((text) => key(text))).size).toBe(1)
    expect(resolve('\\\\server\\share').path).toBe('//server/share')
  })

  it('A19 of a worktree far from its repository is kept as text where the disk is not ours', () => {
    expect(resolve('C:\\Users\\u\\.codex\\worktrees\\1a4b\\my-repo')).toEqual({
      path: 'c:/Users/u/.codex/worktrees/1a4b/my-repo',
    })
  })

  it('loses its long-path prefix', () => {
    expect(resolve('\\\\?\\C:\\x\\y').path).toBe('c:/x/y')
    expect(resolve('\\\\?\\UNC\\server\\share\\x').path).toBe('//server/share/x')
  })

  it('resolves to itself when it is resolved again', () => {
    for (const text of ['C:\\a b\\..\\c', '\\\\wsl$\\Ubuntu\\home', '//server/share/x/', 'd:/Ünï/x']) {
      const { path } = resolve(text)
      expect(resolve(path).path).toBe(path)
    }
  })

  it('is not seen in a POSIX path with a slash too many', () => {
    expect(resolve(`/${home}`).path).toBe(home)
  })
})

describe('a refused project path', () => {
  it.each(['/', '//', '/..', '/x/..', 'C:\\', 'c:/x/..'])('C122 is the root of a file system: %j', (text) => {
    expect(refusal(text)).toMatchObject({ code: 'BAD_PATH', message: expect.stringMatching(/root/) })
  })

  it('C122 is also a link to the root, and "~" of a user whose home is the root', () => {
    symlinkSync('/', join(root, 'slash'))
    expect(refusal(join(root, 'slash')).message).toMatch(/root/)
    expect(() => resolve('~', '/')).toThrow(/root/)
  })

  it.each(['.', 'x/y', '..', 'C:x', '\\x', '\\\\server', '\\\\.\\pipe\\x', 'file:///x', ' /x'])(
    'is relative or half a path: %j',
    (text) => {
      expect(refusal(text)).toMatchObject({ code: 'BAD_PATH', message: expect.stringMatching(/not absolute/) })
    },
  )

  it.each(['/a\0b', '/a\nb', '/a\u001b[2Jb', '/a\u009bb', '/a\u202e\nb', 'C:\\a\tb', '/a\ud83db'])(
    'holds what no terminal may see: %j',
    (text) => {
      const { code, message, hint } = refusal(text)
      expect(code).toBe('BAD_PATH')
      expect(message + hint).not.toMatch(/\p{Cc}|\p{Cs}|\p{Cf}/u)
    },
  )

  it('is a link to a folder with a line break in its name', () => {
    mkdirSync(join(root, 'evil\nname'))
    symlinkSync(join(root, 'evil\nname'), join(root, 'good'))
    expect(refusal(join(root, 'good')).code).toBe('BAD_PATH')
  })

  it('is empty, or longer than 4096 bytes, counted in bytes', () => {
    expect(refusal('').message).toMatch(/empty/)
    expect(refusal(`/${'ü'.repeat(2_048)}`).message).toMatch(/4097 bytes/)
    expect(resolve(`/${'n/'.repeat(2_047)}n`).path).toHaveLength(4_096)
  })

  it('says what to do next, and does not repeat a long text', () => {
    const { message, hint } = refusal('x'.repeat(4_000))
    expect(message.length).toBeLessThan(200)
    expect(hint).toMatch(/absolute path/)
  })
})

describe('a worktree', () => {
  it('C128 is its repository’s project, with both paths, down to the folder', () => {
    const { repo, tree } = repoWithWorktree()
    expect(resolve(tree)).toEqual({ path: tree, repoPath: repo, branch: 'topic' })
    expect(resolve(join(tree, 'src'))).toEqual({
      path: join(tree, 'src'),
      repoPath: join(repo, 'src'),
      branch: 'topic',
    })
    expect(resolve(repo)).toEqual({ path: repo, branch: 'main' })
    expect(key(tree)).toBe(key(repo))
    expect(key(join(tree, 'src'))).not.toBe(key(repo))
  })

  it('C128 reached through a symlink is the same project', () => {
    const { repo, tree } = repoWithWorktree()
    symlinkSync(join(root, 'w'), join(root, 'short'))
    expect(resolve(join(root, 'short/1a4b/r/src'))).toMatchObject({
      path: join(tree, 'src'),
      repoPath: join(repo, 'src'),
    })
  })

  it('C130 whose folder was removed still resolves, to its path alone', () => {
    const { repo, tree } = repoWithWorktree()
    rmSync(tree, { recursive: true })
    expect(resolve(join(tree, 'src'))).toEqual({ path: join(tree, 'src') })
    expect(resolve(repo).branch).toBe('main')
  })

  it('C130 whose repository was moved away still resolves, to its path alone', () => {
    const { repo, tree } = repoWithWorktree()
    renameSync(repo, join(root, 'p/moved'))
    expect(resolve(tree)).toEqual({ path: tree })
  })
})

describe('the comparison key', () => {
  it('ignores case only where the file system does, and always for Windows spellings', () => {
    expect(projectKey({ path: '/p/App' }, false)).toBe('/p/App')
    expect(projectKey({ path: '/p/App' }, true)).toBe('/p/app')
    expect(projectKey({ path: 'c:/P/App' }, false)).toBe('c:/p/app')
    expect(projectKey({ path: '//Server/Share' }, false)).toBe('//server/share')
  })

  it('is the place in the main checkout where there is one', () => {
    expect(projectKey({ path: '/w/x/r', repoPath: '/p/r', branch: 'b' }, false)).toBe('/p/r')
  })
})
