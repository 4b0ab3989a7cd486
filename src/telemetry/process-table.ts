import { sumOf } from '#prelude'
import { type LineProgramOptions, startLineProgram } from './line-program.ts'
import { linuxSampler, makeReading, type ProcessSampler, type ProcessUsage, sumUsages } from './processes.ts'

interface ProcessRow extends ProcessUsage {
  readonly pid: number
  readonly parentPid: number
  /** Start time, for comparison only; null where the tool does not report it. */
  readonly startedAt: number | null
}

/** Adds up a process and its descendants over successive lists; null where the process is not in the list. */
type Tally = (pid: number, rows: readonly ProcessRow[]) => ProcessUsage | null

/**
 * Linux adds the time of an ended process to its parent, but a list of living processes loses it. The tally keeps
 * the last time of an ended process, so that the sum only grows.
 */
function processTally(): Tally {
  const lastSeconds = new Map<number, Map<string, number>>()
  return (root, rows) => {
    const tree = findTree(root, rows)
    if (tree.length === 0) return null
    const seconds = lastSeconds.get(root) ?? new Map<string, number>()
    lastSeconds.set(root, seconds)
    // A process id may be reused, so the start time is part of the key.
    for (const { pid, startedAt, cpuSeconds } of tree) seconds.set(`${pid} ${startedAt}`, cpuSeconds)
    const usage = sumUsages(tree)
    return usage && { ...usage, cpuSeconds: sumOf([...seconds.values()], Number) }
  }
}

/** Returns a process and all its descendants, in the order of generations. */
function findTree(root: number, rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const children = Map.groupBy(rows, ({ parentPid }) => parentPid)
  const tree = rows.filter(({ pid }) => pid === root).slice(0, 1)
  // The list grows during the loop.
  for (const parent of tree) {
    for (const child of children.get(parent.pid) ?? []) {
      // A server may have started this program, whose work is not the server's.
      if (child.pid === process.pid) continue
      if (!tree.includes(child) && isYounger(child, parent)) tree.push(child)
    }
  }
  return tree
}

/** Windows keeps the id of an ended parent, and may give it to another process. */
function isYounger(child: ProcessRow, parent: ProcessRow): boolean {
  return child.startedAt === null || parent.startedAt === null || child.startedAt >= parent.startedAt
}

/** The output of a tool between two lines with a single dot. */
interface ProcessList {
  readonly rows: readonly ProcessRow[]
  /** Processor seconds of the tool itself; null where it does not report them. */
  toolCpuSeconds(tally: Tally, toolPid: number | null): number | null
}

interface ProcessTool extends Pick<LineProgramOptions, 'command' | 'args' | 'env'> {
  /** Name that reasons show. */
  readonly name: string
  /** Parses lines; unknown lines are ignored. */
  parse(lines: readonly string[]): ProcessList
}

/** The line that ends a list. */
const endOfList = '.'

/** Max time to wait for a list before the reading fails. */
const maxSilenceMs = 10_000

/** Runs a tool that prints the list of processes repeatedly. */
function tableSampler(tool: ProcessTool): ProcessSampler {
  const { name, command, args, env, parse } = tool
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
 * @param ps default: the system's, because macOS lets no other program read memory and time
 * @see ps(1) of macOS, https://keith.github.io/xcode-man-pages/ps.1.html; POSIX `times`,
 *   https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#times
 */
export function psSampler(env: LineProgramOptions['env'], everySeconds = 1, ps = '/bin/ps'): ProcessSampler {
  const list = '"$0" -A -o pid= -o ppid= -o rss= -o time='
  return tableSampler({
    name: 'ps',
    command: '/bin/sh',
    args: ['-c', `while :; do ${list}; times; echo ${endOfList}; sleep "$1"; done`, ps, String(everySeconds)],
    // LC_ALL=C makes the decimal separator a point in every locale.
    env: { ...env, LC_ALL: 'C' },
    parse: parsePs,
  })
}

/** Parses the output of ps and `times`: rows of numbers, then two lines with the time of the shell and its children. */
function parsePs(lines: readonly string[]): ProcessList {
  const own = lines.flatMap(shellSeconds)
  return {
    rows: lines.flatMap(parseRow),
    toolCpuSeconds: () => (own.length === 0 ? null : sumOf(own, Number)),
  }
}

/** Parses ` 501  1  28560  0:01.23`: process, parent, memory in units of 1,024 bytes, time. */
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

/** Parses `125:03.11` (macOS) or `2-03:04:05` (elsewhere): days, hours, minutes, seconds. */
function parseSeconds(time: string): number | null {
  const parts = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)$/.exec(time)
  if (parts === null) return null
  const [days, hours, minutes, seconds] = parts
    .slice(1)
    .map((part) => Number((part ?? '0').replace(',', '.')))
  return (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)
}

/** Parses `0m0.012s 0m0.034s`: the time in user mode and in system mode. */
function shellSeconds(line: string): readonly number[] {
  const parts = /^(\d+)m(\d+[.,]\d+)s (\d+)m(\d+[.,]\d+)s$/.exec(line.trim())
  if (parts === null) return []
  const [minutes = 0, seconds = 0, systemMinutes = 0, systemSeconds = 0] = parts
    .slice(1)
    .map((part) => Number(part.replace(',', '.')))
  return [(minutes + systemMinutes) * 60 + seconds + systemSeconds]
}

/** Returns the sampler of a platform: `/proc` on Linux, PowerShell on Windows, ps on all others. */
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

/** The last field of a row, the name, may have spaces. All others are whole numbers, which no locale changes. */
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
 * Runs one PowerShell that asks Windows for its processes every second. typeperf is unsuitable, because its counter
 * names and decimals depend on the system's language; the properties of Win32_Process do not.
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

/** Host process of WMI, in which Windows runs queries. It serves other programs as well. */
const wmiHost = 'wmiprvse.exe'

/** Parses rows of the script. Times are in units of 100 ns, peak memory in units of 1,024 bytes. */
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
      return used.length === 0 ? null : sumOf(used, Number)
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
