// Installs the hosts that `npm run test:hosts` drives into .lab/ and writes .lab/hosts.json, which says where each
// one's executable is or why there is none. A host that cannot be installed is not an error here: its tests decide.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const musl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined
const exe = process.platform === 'win32' ? '.exe' : ''
const claudePlatform = `@anthropic-ai/claude-code-${process.platform}-${process.arch}${musl ? '-musl' : ''}`
const codexPlatform = `@openai/codex-${process.platform}-${process.arch}`
const codexTarget = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-${
  { darwin: 'apple-darwin', win32: 'pc-windows-msvc' }[process.platform] ?? 'unknown-linux-musl'
}`
const opencodePlatform = `opencode-${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/**
 * The release the tests were written against, so that a run today and one next month try the same; `--newest` takes the
 * newest of `range` that this Node can hold, and so does a registry that has no such release. The real executables sit in
 * platform packages (optional dependencies), so no install script is needed; the first of `executables` that answers
 * `--version` is used. The newest Claude Code wants a newer Node only for its launcher: its platform package does not.
 */
const hosts = [
  {
    name: 'claude-code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.197',
    range: '^2.1.190',
    executables: [`${claudePlatform}/claude${exe}`],
  },
  {
    name: 'claude-code-newest',
    package: claudePlatform,
    version: '2.1.332',
    range: '^2.1.332',
    executables: [`${claudePlatform}/claude${exe}`],
  },
  {
    name: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    range: '^1.18.0',
    executables: ['', '-baseline', '-musl', '-baseline-musl'].map(
      (variant) => `${opencodePlatform}${variant}/bin/opencode${exe}`,
    ),
  },
  {
    name: 'codex',
    package: '@openai/codex',
    version: '0.171.0',
    range: '^0.171.0',
    executables: [`${codexPlatform}/vendor/${codexTarget}/bin/codex${exe}`],
  },
]

/** Before another try of a download that failed, s; and how long all downloads together may take, ms. */
const PAUSES = [2, 10, 30, 60]
const deadlineMs = Date.now() + 40 * 60_000

const lab = path.resolve(fileURLToPath(import.meta.url), '../../.lab')
const listFile = path.join(lab, 'hosts.json')
mkdirSync(lab, { recursive: true })
const list = known()
for (const host of hosts) {
  const found = provide(host)
  const at = list.findIndex(({ name }) => name === host.name)
  list.splice(at === -1 ? list.length : at, 1, found)
  // After each of them: what is there stays known if this run is ended here.
  writeFileSync(`${listFile}.new`, `${JSON.stringify(list, null, 2)}\n`)
  renameSync(`${listFile}.new`, listFile)
}

function known() {
  try {
    return JSON.parse(readFileSync(listFile, 'utf8'))
  } catch {
    return []
  }
}

function provide(host) {
  const isNewest = process.argv.includes('--newest')
  const wanted = isNewest ? [host.range] : [host.version, host.range]
  const present = list.find(({ name }) => name === host.name)
  const isWanted = !isNewest && wanted.some((range) => present?.wanted === `${host.package}@${range}`)
  if (isWanted && present.executable !== undefined) {
    if (versionOf(present.executable).version === present.version) {
      console.log(`${host.name} ${present.version}: already in .lab (${present.wanted})`)
      return present
    }
    console.log(`${host.name} ${present.version}: in .lab, and does not run: it is installed again`)
  }
  const reasons = []
  for (const range of wanted) {
    const { found, reason, isAbsent } = install(host, `${host.package}@${range}`)
    if (found !== undefined) {
      console.log(`${host.name} ${found.version}: installed into .lab (${found.wanted})`)
      return found
    }
    reasons.push(reason)
    if (!isAbsent) break
  }
  console.log(`${host.name}: NOT available: ${reasons.join('; ')}`)
  return { name: host.name, wanted: `${host.package}@${wanted[0]}`, missing: reasons.join('; ') }
}

/** Into a folder beside, which takes the place of the old one when the host in it runs: never half of it. */
function install({ name, executables }, wanted) {
  const prefix = path.join(lab, name)
  const beside = `${prefix}.new`
  const args = ['install', '--prefix', beside, '--ignore-scripts', '--no-audit', '--no-fund']
  const patience = ['--fetch-retries=5', '--fetch-retry-maxtimeout=30000', '--fetch-timeout=1200000']
  for (const pause of [...PAUSES, undefined]) {
    rmSync(beside, { recursive: true, force: true, maxRetries: 5 })
    mkdirSync(beside, { recursive: true })
    const npm = run('npm', [...args, ...patience, wanted])
    const { failure, isAbsent } =
      npm.failure === undefined ? {} : { ...npm, isAbsent: /E404|ETARGET/.test(npm.failure) }
    const tried = failure === undefined ? firstThatRuns(beside, executables) : { reason: `npm install: ${failure}` }
    if (tried.executable !== undefined) {
      rmSync(prefix, { recursive: true, force: true, maxRetries: 5 })
      renameSync(beside, prefix)
      const executable = path.join(prefix, path.relative(beside, tried.executable))
      return { found: { name, wanted, version: tried.version, executable } }
    }
    if (isAbsent || pause === undefined || Date.now() + pause * 1000 > deadlineMs) {
      rmSync(beside, { recursive: true, force: true, maxRetries: 5 })
      return { reason: `${wanted}: ${tried.reason}`, isAbsent }
    }
    console.log(`${name}: ${tried.reason}; once more in ${pause} s`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause * 1000)
  }
}

function firstThatRuns(prefix, executables) {
  const there = executables.map((file) => path.join(prefix, 'node_modules', file)).filter(existsSync)
  const failures = []
  for (const executable of there) {
    const { version, failure } = versionOf(executable)
    if (version !== undefined) return { executable, version }
    failures.push(failure)
  }
  // npm leaves an optional dependency out without a word where its download failed, and where it is for another machine.
  const none = `it holds no executable for ${process.platform}-${process.arch}`
  return { reason: failures.join('; ') || none }
}

/** Runs `--version` away from the user's own HOME: even that makes OpenCode create its folders. */
function versionOf(executable) {
  const home = path.join(lab, 'home')
  const xdg = Object.fromEntries(['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [`XDG_${kind}_HOME`, home]))
  const { output, failure } = run(executable, ['--version'], { HOME: home, USERPROFILE: home, ...xdg })
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  const version = /\d+\.\d+\.\d+\S*/.exec(output)?.[0]
  return version === undefined
    ? { failure: failure ?? `${path.basename(executable)} --version printed none` }
    : { version }
}

function run(command, args, extraEnv) {
  const shell = process.platform === 'win32' && command === 'npm'
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: Math.max(deadlineMs - Date.now(), 60_000),
    shell,
    env: { ...process.env, ...extraEnv },
  })
  if (status === 0) return { output: stdout }
  const lines = `${stderr ?? ''}`.split('\n').map((line) => line.replace(/^npm error ?/, '').trim())
  const said = lines.filter(Boolean).slice(0, 4).join('; ')
  return { output: '', failure: error?.message ?? `exit ${status ?? signal}: ${said}` }
}
