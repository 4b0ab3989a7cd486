import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import type { TelemetryLine } from '#journal/telemetry-line'
import type { Terminal } from '#reports/layout/terminal'
import { formatMeasured } from '#reports/page'
import { detailTables } from '#reports/run/details/details'
import { runPage } from '#reports/run/run-page'
import { summaryCsv } from '#reports/run/summary-document'
import { measuredRun, spokenUtterances } from '../analysis/measured-run.ts'
import { blank } from '../journal/a-run.ts'
import { summaryOf, tableOf } from './measured.ts'

const terminal: Terminal = { width: 160, color: false, unicode: true }
const utterances = spokenUtterances(20, 'yes', { seconds: 4 })
const run = measuredRun({
  utterances,
  contenders: ['tiny', 'base'],
  fate: () => 'yes',
  durationMs: () => 500,
})

/** Tiny is measured from 0 to 10 s, base from 10 to 20 s. */
function sampled(line: (atSeconds: number) => Partial<TelemetryLine>): TelemetryLine[] {
  return Array.from({ length: 22 }, (_, at) => ({
    ...blank,
    atMs: at * 1000,
    serverCpuSeconds: at,
    serverResidentBytes: 1e8,
    ownCpuSeconds: at / 10,
    samplerCpuSeconds: at / 50,
    ...line(at),
  }))
}

const device = {
  id: 'nvidia 0',
  name: 'RTX',
  busyRate: 0.5,
  memoryBytes: 2e9,
  powerWatts: 100,
  coreClockMHz: 1500,
  memoryClockMHz: 9501,
  throttledBy: ['temperature'],
}
const silent = { ...device, id: 'nvidia 1', name: null, powerWatts: null, throttledBy: null }

const unread = { server: null, gpu: null, rapl: null, battery: 'the machine was plugged in' }
const withHardware = {
  ...run,
  telemetry: sampled((at) => ({
    gpuBusyRate: 0.5,
    gpuMemoryBytes: 4e9,
    gpus: [device, silent],
    energyJoules: { 'package-0': 50 * at },
    ...(at === 0 ? { unread } : {}),
  })),
}
const withoutHardware = {
  ...run,
  telemetry: sampled((at) =>
    at === 0 ? { unread: { ...unread, gpu: 'nvidia-smi is not installed', rapl: 'root only' } } : {},
  ),
}

describe('a run with a graphics processor and a counter of energy', () => {
  const evaluation = evaluateRun(withHardware)

  test('shows energy next to processor time, and its parts in a table with what it covers', () => {
    // (50 W + 100 W) · 10 s / 80 s · 3,600 s
    expect(summaryOf(evaluation, terminal)).toMatch(/tiny.* 67\.5 kJ/)
    const text = tableOf(evaluation, 'energy', terminal)
    expect(text).toMatch(/contender +in all +processors +graphics processors +measured +audio/)
    expect(text).toMatch(/tiny +67\.5 kJ +22\.5 kJ +45\.0 kJ +1\.5 kJ +1 min 20 s/)
    expect(text).toContain('It covers: processors, graphics processors. No power is reported by nvidia 1.')
    expect(text).toMatch(/The power of\s+the idle machine is included\./)
  })

  test('marks energy that other programs took a share of, as it marks speeds', () => {
    const busy = {
      ...evaluation,
      speeds: evaluation.speeds && { ...evaluation.speeds, withheld: 'it was busy' },
    }
    expect(summaryOf(busy, terminal)).toMatch(/tiny.* ~67\.5 kJ/)
    const text = tableOf(busy, 'energy', terminal).replaceAll(/\s+/g, ' ')
    expect(text).toContain('tiny ~67.5 kJ 22.5 kJ')
    expect(text).toContain('As the speeds, it is not compared: it was busy.')
    expect(summaryCsv(busy)).not.toContain('~')
  })

  test('shows each device, with a dash for what it does not report', () => {
    const text = tableOf(evaluation, 'gpus', terminal)
    expect(text).toMatch(
      /nvidia 0 +RTX +50\.0% +2\.0 GB +100 W +1500 MHz +9501 MHz +temperature \(100%\) +21/,
    )
    expect(text).toMatch(/nvidia 1 +– +50\.0% +2\.0 GB +– +1500 MHz +9501 MHz +– +21/)
  })

  test('has its figures in summary.csv, power only where every device reports it', () => {
    const [tiny = {}] = parse<Record<string, string>>(summaryCsv(evaluation), { columns: true, bom: true })
    const cell = (name: string): string | undefined => tiny[name]
    expect(Number(cell('joules_per_audio_hour'))).toBeCloseTo(67_500, 6)
    expect(cell('energy_covers')).toBe('package gpu')
    expect(cell('gpu_busy_rate')).toBe('0.5')
    expect(cell('gpu_memory_bytes')).toBe('4000000000')
    expect(cell('gpu_power_watts')).toBe('')
  })

  test('has both tables on its page, and the reason of what is absent in its provenance', () => {
    const { tables, provenance } = runPage(evaluation, withHardware).document
    expect(tables.gpus?.table.rows).toHaveLength(2)
    expect(tables.energy?.table.rows).toHaveLength(2)
    expect(provenance.find(({ title }) => title === 'Machine')?.entries.slice(-1)).toEqual([
      { name: 'energy from a battery', value: 'not read: the machine was plugged in', source: null },
    ])
  })

  test('shows the processors of the programs that sample in the instrument', () => {
    const text = tableOf(evaluation, 'instrument', terminal)
    expect(text).toMatch(/programs that it samples with kept busy +0\.02 processors/)
  })
})

describe('a run in which no hardware could be read', () => {
  const evaluation = evaluateRun(withoutHardware)

  test('has no columns, no tables and no section for it', () => {
    expect(detailTables(evaluation, ['gpus', 'energy'])).toEqual([])
    expect(summaryOf(evaluation, terminal)).not.toContain('energy/h')
    const { tables } = runPage(evaluation, withoutHardware).document
    expect([tables.gpus, tables.energy]).toEqual([undefined, undefined])
  })

  test('has every reason in the provenance of its page', () => {
    const machine = runPage(evaluation, withoutHardware).document.provenance.find(
      ({ title }) => title === 'Machine',
    )
    expect(machine?.entries.slice(-3).map(({ value }) => value)).toEqual([
      'not read: nvidia-smi is not installed',
      'not read: root only',
      'not read: the machine was plugged in',
    ])
  })
})

test.each([
  [840, '840 J/h'],
  [67_500, '67.5 kJ/h'],
  [1_240_000, '1.24 MJ/h'],
  [999.6, '1.0 kJ/h'],
])('%d joules for an hour of audio are written as %s', (joules, text) => {
  expect(formatMeasured(joules, 'joulesPerHour')).toBe(text)
})
