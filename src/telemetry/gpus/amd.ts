import { type GpuDevice, type GpuTool, mebibyte, numberOf, scaled } from './gpu-device.ts'

/** Shares of time in which something slowed the clock down, in percent, by their columns. */
const reasons: readonly (readonly [column: string, reason: string])[] = [
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
export const amdTools: readonly GpuTool[] = [['-V'], []].map((further) => ({
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
    if (!/^\d+$/.test(index) || (numberOf(at('xcp')) ?? 0) > 0) return null
    return {
      id: `amd ${index}`,
      name: null,
      busyRate: scaled(at('gfx', 'gfx_util'), 0.01),
      memoryBytes: scaled(at('vram_used'), mebibyte),
      powerWatts: numberOf(at('power_usage')),
      coreClockMHz: numberOf(at('gfx_clk', 'gfx_clock')),
      memoryClockMHz: numberOf(at('mem_clock')),
      throttledBy: reasonsOf(at),
    }
  }
}

function reasonsOf(at: (name: string) => string | undefined): readonly string[] | null {
  const shares = reasons.map(([column, reason]) => ({ reason, percent: numberOf(at(column)) }))
  if (shares.every(({ percent }) => percent === null)) return null
  return shares.flatMap(({ reason, percent }) => ((percent ?? 0) > 0 ? [reason] : []))
}
