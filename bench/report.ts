/** How results are shown: a table for people, JSON for programs. The machine is named by what matters to the numbers. */

import fs from 'node:fs'
import os from 'node:os'
import { type Bar, isMet, type Row, ratioOf, type Summary, type Unit } from './harness.ts'

export function machine(): string {
  const [cpu] = os.cpus()
  const memoryGiB = Math.round(os.totalmem() / 2 ** 30)
  const kind = cpu === undefined || cpu.model.trim() === '' ? 'CPU' : cpu.model.trim()
  return `${os.cpus().length} cores (${kind}), ${memoryGiB} GiB, ${os.type()} ${os.release()}, node ${process.versions.node}, ${fileSystem()}`
}

/** The file system under the temporary directory; `stat` calls ext2 to ext4 by one name, /proc/mounts does not. */
function fileSystem(): string {
  try {
    const directory = fs.realpathSync(os.tmpdir())
    const mounts = fs
      .readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
    const holding = mounts.filter(([, at = '?']) => at === '/' || directory === at || directory.startsWith(`${at}/`))
    return holding.sort(([, a = ''], [, b = '']) => b.length - a.length)[0]?.[2] ?? 'unknown file system'
  } catch {
    return 'unknown file system'
  }
}

const HEAD = ['benchmark', 'floor p50 / p99', 'ours p50 / p99', 'ratio', 'bar', '']

/** A Markdown table, aligned so that it reads the same in a terminal. */
export function table(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)]
  const widths = HEAD.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => `| ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(cells[0] ?? []), rule, ...cells.slice(1).map(line)].join('\n')
}

function cellsOf(row: Row): readonly string[] {
  const ratio = ratioOf(row)
  return [
    row.name +
      (row.against === undefined ? '' : ` vs ${row.against}`) +
      (row.note === undefined ? '' : ` (${row.note})`),
    row.floor === undefined ? '' : show(row.floor, row.unit),
    show(row.ours, row.unit),
    ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
    row.bar === undefined ? '' : showBar(row.bar, row.unit),
    row.bar === undefined ? 'told' : isMet(row) ? 'ok' : 'MISSED',
  ]
}

function show({ p50, p99, count }: Summary, unit: Unit): string {
  return count === 1 ? amount(p50, unit) : `${amount(p50, unit)} / ${amount(p99, unit)}`
}

function amount(value: number, unit: Unit): string {
  if (unit === 'ms') return value < 1 ? `${(value * 1_000).toFixed(0)} µs` : `${value.toFixed(value < 10 ? 2 : 0)} ms`
  if (unit === 'count') return `${value}`
  return `${value.toFixed(unit === 'MB' ? 1 : 0)} ${unit}`
}

function showBar({ of, atMost, atLeast }: Bar, unit: Unit): string {
  const limit = atMost ?? atLeast ?? Number.NaN
  const sign = atMost === undefined ? '>=' : '<='
  return of === 'ratio' ? `${sign} ${limit}x` : `${of === 'p99' ? 'p99 ' : ''}${sign} ${amount(limit, unit)}`
}

export function asJson(rows: readonly Row[]): string {
  const shown = rows.map((row) => ({ ...row, ratio: ratioOf(row), met: isMet(row) }))
  return JSON.stringify({ machine: machine(), rows: shown }, null, 2)
}
