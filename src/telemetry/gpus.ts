import which from 'which'
import { type LineProgram, startLineProgram } from './line-program.ts'

/** Watches until it is disposed. */
export interface GpuWatch extends Disposable {
  /** The last reading of each device; empty where there is none. */
  latest(): readonly GpuDevice[]
  /** Readings since this was called last. */
  take(): readonly GpuDevice[]
  /** The program that reads; null where none runs. */
  pid(): number | null
  /** Why there is no reading; null where there is one, and while the first is awaited. */
  reason(): string | null
}

/**
 * Keeps the first of these programs running that prints a reading: of NVIDIA's, then AMD's. A machine with devices of both
 * makers shows those of the first.
 */
export function watchGpus(
  env: Readonly<Record<string, string | undefined>>,
  tools: readonly GpuTool[] = [...nvidiaTools, ...amdTools],
): GpuWatch {
  const readings = new Map<string, GpuDevice>()
  const fresh = new Map<string, GpuDevice>()
  const reasons = new Map<string, string>()
  let isOver = false
  let program: LineProgram | null = null
  const start = ([tool, ...others]: readonly GpuTool[]): void => {
    if (tool === undefined) {
      isOver = true
      program = null
      return
    }
    // Looked for first: the attempt to start a program copies this process, which holds up its event loop.
    if (which.sync(tool.command, { path: env['PATH'] ?? '', nothrow: true }) === null) {
      reasons.set(tool.command, `${tool.command} is not installed`)
      start(others)
      return
    }
    const read = tool.reader()
    let firstWords = ''
    let hasRead = false
    program = startLineProgram({
      command: tool.command,
      args: tool.args,
      env: { ...env, ...tool.env },
      onLine(line) {
        const device = read(line)
        if (device === null) {
          firstWords ||= line.trim().slice(0, 200)
          return
        }
        hasRead = true
        readings.set(device.id, device)
        fresh.set(device.id, device)
      },
      onEnd(reason) {
        readings.clear()
        // What nvidia-smi has to say, it says on stdout.
        reasons.set(tool.command, hasRead || firstWords === '' ? reason : `${tool.command}: ${firstWords}`)
        start(hasRead ? [] : others)
      },
    })
  }
  start(tools)
  return {
    latest: () => [...readings.values()],
    take() {
      const taken = [...fresh.values()]
      fresh.clear()
      return taken
    },
    pid: () => program?.pid ?? null,
    reason: () => (isOver ? [...reasons.values()].join('; ') : null),
    [Symbol.dispose]() {
      program?.[Symbol.dispose]()
    },
  }
}

/** What one graphics processor is doing. Null where it does not report a value. */
export interface GpuDevice {
  /** As the tool numbers it: `nvidia 0`. */
  readonly id: string
  readonly name: string | null
  /** Share of time in which it computed anything, 0..1. */
  readonly busyRate: number | null
  /** Memory in use. */
  readonly memoryBytes: number | null
  readonly powerWatts: number | null
  readonly coreClockMHz: number | null
  readonly memoryClockMHz: number | null
  /** Why its clock is lower than it could be; empty where nothing slows it down. */
  readonly throttledBy: readonly string[] | null
}

/** A program that prints a line per device and second. */
export interface GpuTool {
  readonly command: string
  readonly args: readonly string[]
  /** Environment variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** A fresh reader of lines, since the columns may be named by a line before. It returns null for a line that is no reading. */
  reader(): (line: string) => GpuDevice | null
}

const mebibyte = 1_048_576

/** A number; null for `[N/A]`, `[Not Supported]`, `[Unknown Error]`, `N/A` and whatever else is none. */
function readNumber(cell: string | undefined): number | null {
  return cell !== undefined && /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : null
}

/** A number in another unit. */
function scaled(cell: string | undefined, factor: number): number | null {
  const value = readNumber(cell)
  return value === null ? null : value * factor
}

/**
 * Bits of the reasons for a lower clock. Two of them slow nothing down: 0x1, an idle device, and 0x2 with 0x100, a clock that a user
 * has chosen.
 *
 * @see https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html
 */
const reasons: readonly (readonly [bit: bigint, reason: string])[] = [
  [0x4n, 'power limit'],
  [0x8n, 'hardware slowdown'],
  [0x10n, 'synchronised with other devices'],
  [0x20n, 'temperature'],
  [0x40n, 'temperature (hardware)'],
  [0x80n, 'power supply'],
]

const fields = [
  'index',
  'name',
  'utilization.gpu',
  'memory.used',
  'power.draw',
  'clocks.sm',
  'clocks.mem',
] as const

/**
 * nvidia-smi, by the names of its fields: drivers since 535 call the reasons for a lower clock events, older ones throttling. It
 * refuses a query with a field that it does not know, so the next one is tried.
 *
 * @see https://docs.nvidia.com/deploy/nvidia-smi/index.html
 */
const nvidiaTools: readonly GpuTool[] = [
  ['clocks_event_reasons.active'],
  ['clocks_throttle_reasons.active'],
  [],
].map((further) => ({
  command: 'nvidia-smi',
  args: [`--query-gpu=${[...fields, ...further].join(',')}`, '--format=csv,noheader,nounits', '-lms', '1000'],
  reader: () => parseNvidia,
}))

/** `0, NVIDIA H100 80GB HBM3, 97, 20000, 345.10, 1890, 9501, 0x0000000000000004` */
export function parseNvidia(line: string): GpuDevice | null {
  const cells = line.split(',').map((cell) => cell.trim())
  const [index = '', name, busy, memory, power, core, memoryClock, active] = cells
  // An error is a line of words.
  if (cells.length < fields.length || !/^\d+$/.test(index)) return null
  return {
    id: `nvidia ${index}`,
    name: name === undefined || name.startsWith('[') ? null : name,
    busyRate: scaled(busy, 0.01),
    memoryBytes: scaled(memory, mebibyte),
    powerWatts: readNumber(power),
    coreClockMHz: readNumber(core),
    memoryClockMHz: readNumber(memoryClock),
    throttledBy: readReasons(active),
  }
}

function readReasons(active: string | undefined): readonly string[] | null {
  if (active === undefined || !/^0x[0-9a-f]+$/i.test(active)) return null
  const bits = BigInt(active)
  return reasons.flatMap(([bit, reason]) => ((bits & bit) === 0n ? [] : [reason]))
}

/** Shares of time in which something slowed the clock down, in percent, by their columns. */
const amdReasons: readonly (readonly [column: string, reason: string])[] = [
  ['pviol', 'power limit'],
  ['tviol', 'temperature'],
  ['phot_tviol', 'temperature (hardware)'],
  ['vr_tviol', 'temperature of the voltage regulator'],
  ['hbm_tviol', 'temperature of the memory'],
]

/**
 * amd-smi, with reasons for a lower clock and without: devices before MI300, and virtual machines, have none and refuse the option.
 * It is written in Python, which keeps lines back from a pipe without PYTHONUNBUFFERED.
 *
 * @see https://rocm.docs.amd.com/projects/amdsmi/en/latest/how-to/amdsmi-cli-tool.html
 */
const amdTools: readonly GpuTool[] = [['-V'], []].map((further) => ({
  command: 'amd-smi',
  args: ['monitor', '-p', '-u', '-m', '-v', ...further, '--csv', '-w', '1'],
  env: { PYTHONUNBUFFERED: '1' },
  reader: amdReader,
}))

/** The first line names the columns; versions differ in which there are, and repeat it or do not. */
export function amdReader(): (line: string) => GpuDevice | null {
  let columns: readonly string[] = []
  return (line) => {
    const cells = line.split(',').map((cell) => cell.trim())
    if (cells.includes('gpu') && cells.includes('power_usage')) {
      columns = cells
      return null
    }
    if (columns.length === 0 || cells.length !== columns.length) return null
    const at = (...names: readonly string[]): string | undefined =>
      cells[columns.findIndex((column) => names.includes(column))]
    const index = at('gpu') ?? ''
    // Further lines of a device are of its partitions, and repeat none of its figures.
    if (!/^\d+$/.test(index) || (readNumber(at('xcp')) ?? 0) > 0) return null
    return {
      id: `amd ${index}`,
      name: null,
      busyRate: scaled(at('gfx', 'gfx_util'), 0.01),
      memoryBytes: scaled(at('vram_used'), mebibyte),
      powerWatts: readNumber(at('power_usage')),
      coreClockMHz: readNumber(at('gfx_clk', 'gfx_clock')),
      memoryClockMHz: readNumber(at('mem_clock')),
      throttledBy: amdReasonsFor(at),
    }
  }
}

function amdReasonsFor(at: (name: string) => string | undefined): readonly string[] | null {
  const shares = amdReasons.map(([column, reason]) => ({ reason, percent: readNumber(at(column)) }))
  if (shares.every(({ percent }) => percent === null)) return null
  return shares.flatMap(({ reason, percent }) => ((percent ?? 0) > 0 ? [reason] : []))
}
