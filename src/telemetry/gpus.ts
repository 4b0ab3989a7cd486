import which from 'which'
import { type LineProgram, startLineProgram } from './line-program.ts'

/** Reads graphics processors until it is disposed. */
export interface GpuWatch extends Disposable {
  /** The last reading of each device; empty where there is no reading. */
  latest(): readonly GpuDevice[]
  /** Readings since the last call of `take`. */
  take(): readonly GpuDevice[]
  /** Process id of the program that reads the devices; null where none runs. */
  pid(): number | null
  /** Why there is no reading; null where there is one, and until the first arrives. */
  reason(): string | null
}

/** Runs the first of these programs that prints a reading. With devices of two makers, only one of them is read. */
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
    // PATH is searched first, because an attempt to start a program copies this process and stalls its event loop.
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
        if (device === null) firstWords ||= line.trim().slice(0, 200)
        if (device == null) return
        hasRead = true
        readings.set(device.id, device)
        fresh.set(device.id, device)
      },
      onEnd(reason) {
        readings.clear()
        // nvidia-smi reports errors on stdout.
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

/** Reading of one graphics processor. Null where it does not report a value. */
export interface GpuDevice {
  /** The tool's name and number of the device: `nvidia 0`. */
  readonly id: string
  readonly name: string | null
  /** Share of time in which any computation ran, 0..1. */
  readonly busyRate: number | null
  readonly memoryBytes: number | null
  readonly powerWatts: number | null
  readonly coreClockMHz: number | null
  readonly memoryClockMHz: number | null
  /** Reasons for a lower clock; empty where nothing lowers it. */
  readonly throttledBy: readonly string[] | null
}

/** A program that prints one line per device and second. */
export interface GpuTool {
  readonly command: string
  readonly args: readonly string[]
  /** Environment variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * Returns a new parser of lines, because a line may name the columns, for which it returns undefined. Null is for
   * another line without a reading, which may say what is wrong.
   */
  reader(): (line: string) => GpuDevice | null | undefined
}

const mebibyte = 1_048_576

/** Parses a number; null for `[N/A]`, `[Not Supported]`, `[Unknown Error]`, `N/A` and any other text. */
function readNumber(cell: string | undefined): number | null {
  return cell !== undefined && /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : null
}

/** Parses a number and converts its unit. */
function scaled(cell: string | undefined, factor: number): number | null {
  const value = readNumber(cell)
  return value === null ? null : value * factor
}

/**
 * Bits of the reasons for a lower clock. Left out are 0x1, an idle device, and 0x2 and 0x100, a clock that a user or
 * the display has set.
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
 * Ways to call nvidia-smi. Drivers since 535 call the reasons for a lower clock events, older ones throttling.
 * nvidia-smi rejects a query with an unknown field, and the next way is tried.
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

/** Parses a line such as `0, NVIDIA H100 80GB HBM3, 97, 20000, 345.10, 1890, 9501, 0x0000000000000004`. */
export function parseNvidia(line: string): GpuDevice | null {
  const cells = line.split(',').map((cell) => cell.trim())
  const [index = '', name, busy, memory, power, core, memoryClock, active] = cells
  // An error is a line without a device number.
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

/** Columns with the percentage of time in which each reason lowered the clock. */
const amdReasons: readonly (readonly [column: string, reason: string])[] = [
  ['pviol', 'power limit'],
  ['tviol', 'temperature'],
  ['phot_tviol', 'temperature (hardware)'],
  ['vr_tviol', 'temperature of the voltage regulator'],
  ['hbm_tviol', 'temperature of the memory'],
]

/**
 * Ways to call amd-smi, with reasons for a lower clock and without. Devices before MI300 and virtual machines have
 * no reasons and reject the option. amd-smi is a Python program, which buffers output to a pipe unless
 * PYTHONUNBUFFERED is set.
 *
 * @see https://rocm.docs.amd.com/projects/amdsmi/en/latest/how-to/amdsmi-cli-tool.html
 */
const amdTools: readonly GpuTool[] = [['-V'], []].map((further) => ({
  command: 'amd-smi',
  args: ['monitor', '-p', '-u', '-m', '-v', ...further, '--csv', '-w', '1'],
  env: { PYTHONUNBUFFERED: '1' },
  reader: amdReader,
}))

/** Parses lines of amd-smi. The first line names the columns. They differ by version, and may be repeated. */
export function amdReader(): (line: string) => GpuDevice | null | undefined {
  let columns: readonly string[] = []
  return (line) => {
    const cells = line.split(',').map((cell) => cell.trim())
    if (cells.includes('gpu') && cells.includes('power_usage')) {
      columns = cells
      return undefined
    }
    if (columns.length === 0 || cells.length !== columns.length) return null
    const at = (...names: readonly string[]): string | undefined =>
      cells[columns.findIndex((column) => names.includes(column))]
    const index = at('gpu') ?? ''
    // Further lines of a device are for its partitions, and repeat none of its values.
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
