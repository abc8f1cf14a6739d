/** After a run of the host tests: which of them passed at their second try only, and what the first one ran into. */
import type { Reporter, TestCase } from 'vitest/node'

function secondTry(test: TestCase): string[] {
  if (test.diagnostic()?.flaky !== true) return []
  const [first] = test.result().errors ?? []
  const why = first?.message.split('\n')[0] ?? 'no error was kept'
  return [`${test.module.relativeModuleId}: ${test.name}: ${why}`]
}

export const retriesReporter: Reporter = {
  onTestCaseResult(test) {
    for (const line of secondTry(test)) console.error(`second try: ${line}`)
  },
  onTestRunEnd(modules) {
    const lines = modules.flatMap((module) => [...module.children.allTests()].flatMap(secondTry))
    console.log(`second tries: ${lines.length}${lines.map((line) => `\n  ${line}`).join('')}`)
  },
}
