import { type GpuDevice, type GpuTool, mebibyte, numberOf, scaled } from './gpu-device.ts'

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
export const nvidiaTools: readonly GpuTool[] = [
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
    powerWatts: numberOf(power),
    coreClockMHz: numberOf(core),
    memoryClockMHz: numberOf(memoryClock),
    throttledBy: reasonsOf(active),
  }
}

function reasonsOf(active: string | undefined): readonly string[] | null {
  if (active === undefined || !/^0x[0-9a-f]+$/i.test(active)) return null
  const bits = BigInt(active)
  return reasons.flatMap(([bit, reason]) => ((bits & bit) === 0n ? [] : [reason]))
}
