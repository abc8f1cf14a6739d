// Installs the hosts that `npm run test:hosts` drives into .lab/ and writes .lab/hosts.json, which says where each
// one's executable is or why there is none. A host that cannot be installed is not an error here: its tests decide.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
 * `package` is installed by range, so npm takes the newest release this Node can hold. The real executables sit in
 * platform packages (optional dependencies), so no install script is needed; the first of `executables` that answers
 * `--version` is used. The newest Claude Code wants a newer Node only for its launcher: its platform package does not.
 */
const hosts = [
  {
    name: 'claude-code',
    package: '@anthropic-ai/claude-code',
    range: '^2.1.190',
    executables: [`${claudePlatform}/claude${exe}`],
  },
  {
    name: 'claude-code-newest',
    package: claudePlatform,
    range: '^2.1.332',
    executables: [`${claudePlatform}/claude${exe}`],
  },
  {
    name: 'opencode',
    package: 'opencode-ai',
    range: '^1.18.0',
    executables: ['', '-baseline', '-musl', '-baseline-musl'].map(
      (variant) => `${opencodePlatform}${variant}/bin/opencode${exe}`,
    ),
  },
  {
    name: 'codex',
    package: '@openai/codex',
    range: '^0.171.0',
    executables: [`${codexPlatform}/vendor/${codexTarget}/bin/codex${exe}`],
  },
]

const lab = path.resolve(fileURLToPath(import.meta.url), '../../.lab')
const listFile = path.join(lab, 'hosts.json')
const earlier = existsSync(listFile) ? JSON.parse(readFileSync(listFile, 'utf8')) : []
mkdirSync(lab, { recursive: true })
writeFileSync(listFile, `${JSON.stringify(hosts.map(provide), null, 2)}\n`)

function provide({ name, package: packageName, range, executables }) {
  const wanted = `${packageName}@${range}`
  const present = earlier.find((host) => host.name === name && host.wanted === wanted)
  if (present?.executable !== undefined && existsSync(present.executable)) {
    console.log(`${name} ${present.version}: already in .lab (${wanted})`)
    return present
  }
  const missing = (reason) => {
    console.log(`${name}: NOT available: ${reason}`)
    return { name, wanted, missing: reason }
  }
  const prefix = path.join(lab, name)
  mkdirSync(prefix, { recursive: true })
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1']
  const npm = run('npm', ['install', '--prefix', prefix, ...flags, wanted])
  if (npm.failure !== undefined) return missing(`npm install ${wanted}: ${npm.failure}`)
  const failures = []
  for (const executable of executables.map((file) => path.join(prefix, 'node_modules', file)).filter(existsSync)) {
    const { failure, output } = ask(executable, path.join(prefix, 'home'))
    const version = /\d+\.\d+\.\d+\S*/.exec(output)?.[0]
    if (failure === undefined && version !== undefined) {
      console.log(`${name} ${version}: installed into .lab (${wanted})`)
      return { name, wanted, version, executable }
    }
    failures.push(failure ?? `${path.basename(executable)} --version printed no version`)
  }
  return missing(failures.join('; ') || `${wanted} holds no executable for ${process.platform}-${process.arch}`)
}

/** Runs `--version` away from the user's own HOME: even that makes OpenCode create its folders. */
function ask(executable, home) {
  const xdg = Object.fromEntries(['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [`XDG_${kind}_HOME`, home]))
  const answer = run(executable, ['--version'], { HOME: home, USERPROFILE: home, ...xdg })
  rmSync(home, { recursive: true, force: true })
  return answer
}

function run(command, args, extraEnv) {
  const shell = process.platform === 'win32' && command === 'npm'
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: 300_000,
    shell,
    env: { ...process.env, ...extraEnv },
  })
  if (status === 0) return { output: stdout }
  const lines = `${stderr ?? ''}`.split('\n').map((line) => line.replace(/^npm error ?/, '').trim())
  const said = lines.filter(Boolean).slice(0, 4).join('; ')
  return { output: '', failure: error?.message ?? `exit ${status ?? signal}: ${said}` }
}
