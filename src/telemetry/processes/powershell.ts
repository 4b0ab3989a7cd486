import type { ProcessSampler } from './process-sampler.ts'
import type { ProcessRow } from './process-table.ts'
import { endOfList, type ProcessList, tableSampler } from './table-sampler.ts'

export interface PowershellOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly everySeconds?: number
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
export function powershellSampler({ env, everySeconds = 1 }: PowershellOptions): ProcessSampler {
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
  const named = lines.flatMap(rowOf)
  const rows = named.map(({ row }) => row)
  const hosts = named.flatMap(({ name, row }) => (name.toLowerCase() === wmiHost ? row.pid : []))
  return {
    rows,
    toolCpuSeconds(tally, toolPid) {
      const used = [...(toolPid === null ? [] : [toolPid]), ...hosts].flatMap(
        (pid) => tally.usageOf(pid, rows)?.cpuSeconds ?? [],
      )
      return used.length === 0 ? null : used.reduce((total, seconds) => total + seconds, 0)
    },
  }
}

const unitsPerSecond = 1e7

function rowOf(line: string): readonly { readonly name: string; readonly row: ProcessRow }[] {
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
    startedAt: started === 0 ? null : started,
  }
  return [{ name: parts.at(-1) ?? '', row }]
}
