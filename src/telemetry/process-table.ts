import { type LineProgramOptions, startLineProgram } from './line-program.ts'
import { linuxSampler, makeReading, type ProcessSampler, type ProcessUsage, sumUsages } from './processes.ts'

/** A line of a list of processes. */
interface ProcessRow extends ProcessUsage {
  readonly pid: number
  readonly parentPid: number
  /** To be compared only; null where the tool does not report it. */
  readonly startedAt: number | null
}

/** Adds up a process with its children, over one reading after the other; null where it is not in the list. */
type Tally = (pid: number, rows: readonly ProcessRow[]) => ProcessUsage | null

/**
 * Lists of living processes lose the time of those that have ended, which Linux adds to their parents. Here it is kept as it
 * was read last, so that the sum only grows.
 */
function processTally(): Tally {
  const lastSeconds = new Map<number, Map<string, number>>()
  return (root, rows) => {
    const tree = findTree(root, rows)
    if (tree.length === 0) return null
    const seconds = lastSeconds.get(root) ?? new Map<string, number>()
    lastSeconds.set(root, seconds)
    // A number may be used again: with its start it is another process.
    for (const { pid, startedAt, cpuSeconds } of tree) seconds.set(`${pid} ${startedAt}`, cpuSeconds)
    const usage = sumUsages(tree)
    return usage && { ...usage, cpuSeconds: sum(seconds.values()) }
  }
}

/** A process and all that descend from it. */
function findTree(root: number, rows: readonly ProcessRow[]): readonly ProcessRow[] {
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

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0)
}

/** What a tool printed between two lines with a dot alone. */
interface ProcessList {
  readonly rows: readonly ProcessRow[]
  /** Processor seconds of the tool itself; null where it did not say. */
  toolCpuSeconds(tally: Tally, toolPid: number | null): number | null
}

interface ProcessTool extends Pick<LineProgramOptions, 'command' | 'args' | 'env'> {
  /** In words, for reasons. */
  readonly name: string
  /** Lines that it does not know are ignored. */
  parse(lines: readonly string[]): ProcessList
  /** Without a list for so long, there is none. */
  readonly maxSilenceMs?: number
}

/** Ends each list. */
const endOfList = '.'

const defaultSilenceMs = 10_000

/** Keeps one tool running that prints the list of processes again and again. */
function tableSampler(tool: ProcessTool): ProcessSampler {
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
      const usageOf = (pid: number): ProcessUsage | null => tally(pid, list.rows)
      return makeReading(pids, usageOf, list.toolCpuSeconds(tally, program.pid))
    },
    [Symbol.dispose]() {
      program[Symbol.dispose]()
      answer(`${name} was stopped`)
    },
  }
}

/**
 * One shell that runs ps every second, on macOS and other systems without `/proc`. After each list the shell prints the processor
 * time of itself and of every ps that it ran (`times`).
 *
 * The list has all processes, because ps cannot select the children of one.
 *
 * @param ps default: the one of the system, since macOS lets no other read memory and time
 * @see ps(1) of macOS, https://keith.github.io/xcode-man-pages/ps.1.html; POSIX `times`,
 *   https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#times
 */
export function psSampler(env: LineProgramOptions['env'], everySeconds = 1, ps = '/bin/ps'): ProcessSampler {
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
    rows: lines.flatMap(parseRow),
    toolCpuSeconds: () => (own.length === 0 ? null : sum(own)),
  }
}

/** ` 501  1  28560  0:01.23`: process, parent, memory in units of 1,024 bytes, time. */
function parseRow(line: string): readonly ProcessRow[] {
  const [, pid, parentPid, kibibytes, time = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s*$/.exec(line) ?? []
  const cpuSeconds = parseSeconds(time)
  if (cpuSeconds === null) return []
  return [
    {
      pid: Number(pid),
      parentPid: Number(parentPid),
      cpuSeconds,
      residentBytes: Number(kibibytes) * 1024,
      peakResidentBytes: null,
      threadCount: null,
      processCount: 1,
      startedAt: null,
    },
  ]
}

/** `125:03.11` on macOS, `2-03:04:05` elsewhere: days, hours, minutes, seconds. */
function parseSeconds(time: string): number | null {
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

/** The sampler of a platform: `/proc` on Linux, PowerShell on Windows, ps on every other. */
export function processSampler(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): ProcessSampler {
  if (platform === 'linux') return linuxSampler()
  return platform === 'win32' ? powershellSampler(env) : psSampler(env)
}

const fields = [
  'ProcessId',
  'ParentProcessId',
  'WorkingSetSize',
  'PeakWorkingSetSize',
  'KernelModeTime',
  'UserModeTime',
  'ThreadCount',
  'CreationDate',
  'Name',
]

/** The last field of a row is the name, which may hold spaces. All others are whole numbers: no language writes those in its way. */
const script = (everySeconds: number): string =>
  [
    `$fields = ${fields.map((field) => `'${field}'`).join(',')};`,
    'while ($true) {',
    'try { foreach ($p in Get-CimInstance -ClassName Win32_Process -Property $fields -ErrorAction Stop) {',
    '$started = 0; if ($p.CreationDate) { $started = $p.CreationDate.Ticks };',
    '[Console]::Out.WriteLine(($p.ProcessId, $p.ParentProcessId, $p.WorkingSetSize, $p.PeakWorkingSetSize,',
    "$p.KernelModeTime, $p.UserModeTime, $p.ThreadCount, $started, $p.Name) -join ' ') } }",
    'catch { [Console]::Error.WriteLine($_.Exception.Message) };',
    `[Console]::Out.WriteLine('${endOfList}'); [Console]::Out.Flush();`,
    `Start-Sleep -Milliseconds ${1000 * everySeconds} }`,
  ].join(' ')

/**
 * One PowerShell that asks Windows for its processes every second. Names of the counters that typeperf reads are in the language
 * of the system, and so are its decimals; the properties of Win32_Process are not.
 *
 * @see https://learn.microsoft.com/windows/win32/cimwin32prov/win32-process
 */
export function powershellSampler(env: LineProgramOptions['env'], everySeconds = 1): ProcessSampler {
  return tableSampler({
    name: 'PowerShell',
    command: 'powershell.exe',
    args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', script(everySeconds)],
    env,
    parse: parsePowershell,
  })
}

/** Windows works for a query in a process of its service WMI, which works for other programs too. */
const wmiHost = 'wmiprvse.exe'

/** Rows as the script prints them; a time is in units of 100 ns, the peak of the memory in units of 1,024 bytes. */
function parsePowershell(lines: readonly string[]): ProcessList {
  const named = lines.flatMap(parsePowershellRow)
  const rows = named.map(({ row }) => row)
  const hosts = named.flatMap(({ name, row }) => (name.toLowerCase() === wmiHost ? row.pid : []))
  return {
    rows,
    toolCpuSeconds(tally, toolPid) {
      const used = [...(toolPid === null ? [] : [toolPid]), ...hosts].flatMap(
        (pid) => tally(pid, rows)?.cpuSeconds ?? [],
      )
      return used.length === 0 ? null : sum(used)
    },
  }
}

const unitsPerSecond = 1e7

function parsePowershellRow(line: string): readonly { readonly name: string; readonly row: ProcessRow }[] {
  const parts = /^(\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (.*)$/.exec(line.trim())
  if (parts === null) return []
  const [pid = 0, parentPid = 0, resident = 0, peak = 0, kernel = 0, user = 0, threads = 0, started = 0] =
    parts.slice(1, -1).map(Number)
  const row: ProcessRow = {
    pid,
    parentPid,
    cpuSeconds: (kernel + user) / unitsPerSecond,
    residentBytes: resident,
    peakResidentBytes: peak * 1024,
    threadCount: threads,
    processCount: 1,
    startedAt: started === 0 ? null : started,
  }
  return [{ name: parts.at(-1) ?? '', row }]
}
