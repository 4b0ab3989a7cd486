import type { ProcessSampler } from './process-sampler.ts'
import type { ProcessRow } from './process-table.ts'
import { endOfList, type ProcessList, tableSampler } from './table-sampler.ts'

export interface PsOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: the one of the system, since macOS lets no other read memory and time. */
  readonly ps?: string
  readonly everySeconds?: number
}

/**
 * One shell that runs ps every second, on macOS and other systems without `/proc`. After each list the shell prints the processor
 * time of itself and of every ps that it ran (`times`).
 *
 * The list has all processes, because ps cannot select the children of one.
 *
 * @see ps(1) of macOS, https://keith.github.io/xcode-man-pages/ps.1.html; POSIX `times`,
 *   https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#times
 */
export function psSampler({ env, ps = '/bin/ps', everySeconds = 1 }: PsOptions): ProcessSampler {
  const list = '"$0" -A -o pid= -o ppid= -o rss= -o time='
  return tableSampler({
    name: 'ps',
    command: '/bin/sh',
    args: ['-c', `while :; do ${list}; times; echo ${endOfList}; sleep "$1"; done`, ps, String(everySeconds)],
    // A decimal point, whatever the language of the system.
    env: { ...env, LC_ALL: 'C' },
    parse: parsePs,
  })
}

/** What ps and `times` print: rows of numbers, then two lines with the time of the shell and of its children. */
function parsePs(lines: readonly string[]): ProcessList {
  const own = lines.flatMap(shellSeconds)
  return {
    rows: lines.flatMap(rowOf),
    toolCpuSeconds: () => (own.length === 0 ? null : own.reduce((total, seconds) => total + seconds, 0)),
  }
}

/** ` 501  1  28560  0:01.23`: process, parent, memory in units of 1,024 bytes, time. */
function rowOf(line: string): readonly ProcessRow[] {
  const [, pid, parentPid, kibibytes, time = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s*$/.exec(line) ?? []
  const cpuSeconds = secondsOf(time)
  if (cpuSeconds === null) return []
  return [
    {
      pid: Number(pid),
      parentPid: Number(parentPid),
      cpuSeconds,
      residentBytes: Number(kibibytes) * 1024,
      peakResidentBytes: null,
      threadCount: null,
      startedAt: null,
    },
  ]
}

/** `125:03.11` on macOS, `2-03:04:05` elsewhere: days, hours, minutes, seconds. */
function secondsOf(time: string): number | null {
  const parts = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)$/.exec(time)
  if (parts === null) return null
  const [days, hours, minutes, seconds] = parts
    .slice(1)
    .map((part) => Number((part ?? '0').replace(',', '.')))
  return (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)
}

/** `0m0.012s 0m0.034s`: in user and in system mode. */
function shellSeconds(line: string): readonly number[] {
  const parts = /^(\d+)m(\d+[.,]\d+)s (\d+)m(\d+[.,]\d+)s$/.exec(line.trim())
  if (parts === null) return []
  const [minutes = 0, seconds = 0, systemMinutes = 0, systemSeconds = 0] = parts
    .slice(1)
    .map((part) => Number(part.replace(',', '.')))
  return [(minutes + systemMinutes) * 60 + seconds + systemSeconds]
}
