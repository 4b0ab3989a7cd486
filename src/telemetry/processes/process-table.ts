import type { ProcessUsage } from './linux-processes.ts'

/** A line of a list of processes. */
export interface ProcessRow {
  readonly pid: number
  readonly parentPid: number
  /** In user and system mode. */
  readonly cpuSeconds: number
  readonly residentBytes: number
  /** Null where the tool does not report it, as the next ones. */
  readonly peakResidentBytes: number | null
  readonly threadCount: number | null
  /** To be compared only. */
  readonly startedAt: number | null
}

/** Adds up processes with their children, over one reading after the other. */
export interface ProcessTally {
  /** @returns null where the process is not in the list */
  usageOf(pid: number, rows: readonly ProcessRow[]): ProcessUsage | null
}

/**
 * Lists of living processes lose the time of those that have ended, which Linux adds to their parents. Here it is kept as it
 * was read last, so that the sum only grows.
 */
export function processTally(): ProcessTally {
  const lastSeconds = new Map<number, Map<string, number>>()
  return {
    usageOf(root, rows) {
      const tree = treeOf(root, rows)
      if (tree.length === 0) return null
      const seconds = lastSeconds.get(root) ?? new Map<string, number>()
      lastSeconds.set(root, seconds)
      // A number may be used again: with its start it is another process.
      for (const { pid, startedAt, cpuSeconds } of tree) seconds.set(`${pid} ${startedAt}`, cpuSeconds)
      return {
        cpuSeconds: sum([...seconds.values()]),
        residentBytes: sum(tree.map(({ residentBytes }) => residentBytes)),
        peakResidentBytes: sumOrNull(tree.map(({ peakResidentBytes }) => peakResidentBytes)),
        threadCount: sumOrNull(tree.map(({ threadCount }) => threadCount)),
        processCount: tree.length,
      }
    },
  }
}

/** A process and all that descend from it. */
function treeOf(root: number, rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const children = Map.groupBy(rows, ({ parentPid }) => parentPid)
  const tree = rows.filter(({ pid }) => pid === root).slice(0, 1)
  // The list grows while it is gone through.
  for (const parent of tree) {
    for (const child of children.get(parent.pid) ?? []) {
      // A server that started this program does not work for itself in it.
      if (child.pid === process.pid) continue
      if (!tree.includes(child) && isYounger(child, parent)) tree.push(child)
    }
  }
  return tree
}

/** Windows keeps the number of a parent that has ended, and gives it to another process. */
function isYounger(child: ProcessRow, parent: ProcessRow): boolean {
  return child.startedAt === null || parent.startedAt === null || child.startedAt >= parent.startedAt
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function sumOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === values.length ? sum(known) : null
}
