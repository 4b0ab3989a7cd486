import { type LineProgramOptions, startLineProgram } from '../line-program.ts'
import type { ProcessUsage } from './linux-processes.ts'
import { notFound } from './linux-sampler.ts'
import type { ProcessReading, ProcessSampler } from './process-sampler.ts'
import { type ProcessRow, type ProcessTally, processTally } from './process-table.ts'

/** What a tool printed between two lines with a dot alone. */
export interface ProcessList {
  readonly rows: readonly ProcessRow[]
  /** Processor seconds of the tool itself; null where it did not say. */
  toolCpuSeconds(tally: ProcessTally, toolPid: number | null): number | null
}

export interface ProcessTool extends Pick<LineProgramOptions, 'command' | 'args' | 'env'> {
  /** In words, for reasons. */
  readonly name: string
  /** Lines that it does not know are ignored. */
  parse(lines: readonly string[]): ProcessList
  /** Without a list for so long, there is none. */
  readonly maxSilenceMs?: number
}

/** Ends each list. */
export const endOfList = '.'

const defaultSilenceMs = 10_000

/** Keeps one tool running that prints the list of processes again and again. */
export function tableSampler(tool: ProcessTool): ProcessSampler {
  const { name, command, args, env, parse, maxSilenceMs = defaultSilenceMs } = tool
  const tally = processTally()
  let lines: string[] = []
  let ended: string | null = null
  let waiting: ((list: ProcessList | string) => void)[] = []
  const answer = (list: ProcessList | string): void => {
    const all = waiting
    waiting = []
    for (const resolve of all) resolve(list)
  }
  const program = startLineProgram({
    command,
    args,
    env,
    onLine(line) {
      if (line.trim() !== endOfList) {
        lines.push(line)
        return
      }
      const list = parse(lines)
      const [first = 'nothing'] = lines
      lines = []
      answer(
        list.rows.length > 0 ? list : `${name} printed no list of processes: ${first.trim().slice(0, 100)}`,
      )
    },
    onEnd(reason) {
      ended = reason
      answer(reason)
    },
  })
  const nextList = (): Promise<ProcessList | string> => {
    if (ended !== null) return Promise.resolve(ended)
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => resolve(`${name} printed nothing for ${maxSilenceMs / 1000} s`),
        maxSilenceMs,
      )
      waiting.push((list) => {
        clearTimeout(timer)
        resolve(list)
      })
    })
  }
  return {
    async read(pids) {
      const list = await nextList()
      if (typeof list === 'string') return { usages: new Map(), toolCpuSeconds: null, reason: list }
      return readingOf(list, pids, tally, program.pid)
    },
    [Symbol.dispose]() {
      program[Symbol.dispose]()
      answer(`${name} was stopped`)
    },
  }
}

function readingOf(
  list: ProcessList,
  pids: readonly number[],
  tally: ProcessTally,
  toolPid: number | null,
): ProcessReading {
  const usages = new Map<number, ProcessUsage>()
  for (const pid of pids) {
    const usage = tally.usageOf(pid, list.rows)
    if (usage !== null) usages.set(pid, usage)
  }
  const absent = pids.filter((pid) => !usages.has(pid))
  return {
    usages,
    toolCpuSeconds: list.toolCpuSeconds(tally, toolPid),
    reason: absent.length === 0 ? null : notFound(absent),
  }
}
