import type { TelemetryLine } from '#journal'

/** Processor time between two moments of the clock. */
export interface SpentProcessor {
  between(
    fromMs: number,
    untilMs: number,
  ): {
    readonly seconds: number
    /** Of the server. */
    readonly cpuSeconds: number
    /** Of this process, which sends; null where the host does not tell. */
    readonly ownCpuSeconds: number | null
    readonly peakResidentBytes: number | null
  } | null
  /** Does something with servers of its own, whose time is not that of other programs. */
  aside<Value>(work: () => Promise<Value>): Promise<Value>
}

type UsageLine = Pick<
  TelemetryLine,
  'atMs' | 'serverCpuSeconds' | 'ownCpuSeconds' | 'hostCpuSeconds' | 'serverResidentBytes'
>

/** What was used by when, and whether servers of our own ran that are not the measured one. */
type NotedLine = UsageLine & { readonly isAside: boolean }

/** Notes what was used by when. */
export function watchProcessor(): SpentProcessor & {
  readonly lines: readonly NotedLine[]
  note(line: UsageLine): void
} {
  const lines: NotedLine[] = []
  let asides = 0
  return {
    lines,
    note: (line) => lines.push({ ...line, isAside: asides > 0 }),
    async aside(work) {
      asides += 1
      try {
        return await work()
      } finally {
        asides -= 1
      }
    },
    between(fromMs, untilMs) {
      const inside = lines.filter(
        ({ atMs, serverCpuSeconds }) => atMs >= fromMs && atMs <= untilMs && serverCpuSeconds !== null,
      )
      const [first, last] = [inside[0], inside.at(-1)]
      if (first === undefined || last === undefined || first === last) return null
      return {
        seconds: (last.atMs - first.atMs) / 1000,
        cpuSeconds: growth(first.serverCpuSeconds, last.serverCpuSeconds) ?? 0,
        ownCpuSeconds: growth(first.ownCpuSeconds, last.ownCpuSeconds),
        peakResidentBytes:
          Math.max(...inside.map(({ serverResidentBytes }) => serverResidentBytes ?? 0)) || null,
      }
    },
  }
}

/** What others did on the machine meanwhile. */
export interface OtherPrograms {
  /** Of the time, in which they kept a tenth of the processors busy or more. */
  readonly disturbedShare: number
  /** That they kept busy, on average over all of the time. */
  readonly processors: number
}

/** Long enough that counters of a hundredth of a second say something. */
const windowMs = 2_000
const disturbingShare = 0.1

/** @returns null where it cannot be told, as of a server on another machine */
export function otherPrograms(lines: readonly NotedLine[], processors: number): OtherPrograms | null {
  const busy: number[] = []
  let [before] = lines
  for (const line of lines) {
    // A counter that such a server was part of begins anew after it.
    if (line.isAside || before?.isAside === true) {
      before = line
      continue
    }
    if (before === undefined || line.atMs - before.atMs < windowMs) continue
    const seconds = (line.atMs - before.atMs) / 1000
    const server = growth(before.serverCpuSeconds, line.serverCpuSeconds)
    const own = growth(before.ownCpuSeconds, line.ownCpuSeconds)
    const host = growth(before.hostCpuSeconds, line.hostCpuSeconds)
    if (server !== null && own !== null && host !== null)
      busy.push(Math.max(0, host - server - own) / seconds)
    before = line
  }
  if (busy.length === 0) return null
  return {
    disturbedShare: busy.filter((others) => others >= disturbingShare * processors).length / busy.length,
    processors: busy.reduce((sum, others) => sum + others, 0) / busy.length,
  }
}

function growth(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}
