import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TelemetryLine } from '#journal/telemetry-line'
import { systemClock } from '#load/clock'
import { type EnergyWatch, readPowerSource, watchEnergy } from '#telemetry/energy'
import { startSampling } from '#telemetry/sampling'
import { temporaryFolder } from '../temporary-folder.ts'
import { raplPackage, writeSys } from './sys-folder.ts'

describe('counters of energy', () => {
  test('are those of packages and their memory, and nothing is counted twice', async () => {
    await using sys = await temporaryFolder()
    await writeSys(sys.path, {
      ...raplPackage(0, { microjoules: 5_000_000 }),
      ...raplPackage(1),
      // The same counter by another way.
      'powercap/intel-rapl-mmio:0/name': 'package-0',
      'powercap/intel-rapl-mmio:0/energy_uj': 5_000_000,
      'powercap/intel-rapl:2/name': 'psys',
      'powercap/intel-rapl:2/energy_uj': 0,
      'powercap/intel-rapl:2/max_energy_range_uj': 1000,
    })
    const watch = watchEnergy(sys.path)
    await writeSys(sys.path, {
      'powercap/intel-rapl:0/energy_uj': 7_500_000,
      'powercap/intel-rapl:1:1/energy_uj': 250_000,
    })
    expect(watch.read()).toMatchObject({
      joules: { 'package-0': 2.5, 'dram-0': 0, 'package-1': 0, 'dram-1': 0.25, psys: 0 },
      reasons: { rapl: null },
    })
  })

  test('that begin at 0 again go on from where they were', async () => {
    await using sys = await temporaryFolder()
    const range = 10_000_000
    await writeSys(sys.path, raplPackage(0, { microjoules: 9_000_000, range }))
    const watch = watchEnergy(sys.path)
    const at = async (microjoules: number): Promise<number | undefined> => {
      await writeSys(sys.path, { 'powercap/intel-rapl:0/energy_uj': microjoules })
      return watch.read().joules?.['package-0']
    }
    expect(await at(9_500_000)).toBeCloseTo(0.5, 9)
    expect(await at(500_000)).toBeCloseTo(1.5, 9)
    expect(await at(400_000)).toBeCloseTo(11.4, 9)
  })

  test('that only root may read are absent, with the command that allows it', async () => {
    await using sys = await temporaryFolder()
    await writeSys(sys.path, raplPackage(0))
    const file = join(sys.path, 'class/powercap/intel-rapl:0/energy_uj')
    await chmod(file, 0)
    await chmod(join(sys.path, 'class/powercap/intel-rapl:0:1/energy_uj'), 0)
    await chmod(sys.path, 0o755)
    const { joules, reasons } = asUser(() => watchEnergy(sys.path).read())
    expect(joules).toBeNull()
    expect(reasons.rapl).toBe(
      `${file} may be read by root only; to allow it until the next start: sudo chmod a+r ${file}`,
    )
  })

  test('without the range that they begin anew at are not used', async () => {
    await using sys = await temporaryFolder()
    await writeSys(sys.path, {
      'powercap/intel-rapl:0/name': 'package-0',
      'powercap/intel-rapl:0/energy_uj': 5,
    })
    const { joules, reasons } = await energyAt(sys.path)
    expect(joules).toBeNull()
    expect(reasons.rapl).toContain('max_energy_range_uj could not be read (ENOENT)')
  })

  test('that the system does not have are absent with a reason, and so is a battery', async () => {
    await using sys = await temporaryFolder()
    expect(await energyAt(sys.path)).toEqual({
      joules: null,
      batteryWatts: null,
      reasons: {
        rapl: `this system shows no energy counter of the processor in ${join(sys.path, 'class/powercap')}`,
        battery: 'this system shows no battery',
      },
    })
  })
})

/** What a user without rights over files sees; who runs the tests may be root. */
function asUser<Value>(work: () => Value): Value {
  if (process.geteuid?.() !== 0) return work()
  process.seteuid?.(65_534)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

async function energyAt(sysFolder: string): Promise<ReturnType<EnergyWatch['read']>> {
  const watch = watchEnergy(sysFolder)
  await watch.askBattery(0)
  return watch.read()
}

describe('power from a battery', () => {
  const battery = { type: 'Battery', status: 'Discharging' }

  async function supplied(...supplies: readonly Readonly<Record<string, string>>[]): Promise<{
    readonly source: string | null
    readonly watts: number | null
    readonly reason: string | null
  }> {
    await using sys = await temporaryFolder()
    for (const [index, values] of supplies.entries()) {
      const files = Object.entries(values).map(([key, value]) => [
        `power_supply/supply${index}/${key}`,
        value,
      ])
      await writeSys(sys.path, Object.fromEntries(files))
    }
    const { batteryWatts, reasons } = await energyAt(sys.path)
    return { source: await readPowerSource(sys.path), watts: batteryWatts, reason: reasons.battery }
  }

  test('is that of the machine while it empties and nothing is plugged in', async () => {
    const full = { ...battery, power_now: '12340000' }
    expect(await supplied(full, { type: 'Mains', online: '0' })).toEqual({
      source: 'battery',
      watts: 12.34,
      reason: null,
    })
    expect(await supplied(full, { ...full, power_now: '-1000000' })).toMatchObject({ watts: 13.34 })
    expect(await supplied({ ...battery, current_now: '1500000', voltage_now: '12000000' })).toMatchObject({
      watts: 18,
    })
  })

  test('is absent on mains, of a mouse, and where it is not reported', async () => {
    const plugged = { type: 'USB', online: '1' }
    expect(await supplied({ ...battery, power_now: '5' }, plugged)).toEqual({
      source: 'mains',
      watts: null,
      reason: 'the machine was plugged in',
    })
    // 2: of a supply that can change its voltage.
    expect(await supplied({ ...battery, power_now: '5' }, { type: 'USB', online: '2' })).toMatchObject({
      source: 'mains',
    })
    expect(await supplied({ ...battery, status: 'Full' })).toMatchObject({ source: 'mains', watts: null })
    expect(await supplied({ ...battery, power_now: '5', scope: 'Device' })).toMatchObject({
      source: null,
      reason: 'this system shows no battery',
    })
    expect(await supplied(battery)).toEqual({
      source: 'battery',
      watts: null,
      reason: 'the battery does not report its power',
    })
  })

  test('is read once a second', async () => {
    await using sys = await temporaryFolder()
    const at = 'power_supply/BAT0'
    await writeSys(sys.path, {
      [`${at}/type`]: 'Battery',
      [`${at}/status`]: 'Discharging',
      [`${at}/power_now`]: 9_000_000,
    })
    const watch = watchEnergy(sys.path)
    const watts = []
    for (const atMs of [0, 250, 999, 1000]) {
      await watch.askBattery(atMs)
      watts.push(watch.read().batteryWatts)
    }
    expect(watts).toEqual([9, null, null, 9])
  })
})

test('samples hold the energy of the host whose folder HOST_SYS names', async () => {
  await using sys = await temporaryFolder()
  await writeSys(sys.path, raplPackage(0))
  const lines: TelemetryLine[] = []
  const sampling = startSampling({
    servers: [{ id: null, pids: [], reason: null }],
    clock: systemClock,
    everyMs: 60_000,
    env: { HOST_SYS: sys.path, PATH: '/nowhere' },
    onSample: (line) => void lines.push(line),
  })
  await sampling[Symbol.asyncDispose]()
  expect(lines.at(-1)).toMatchObject({ energyJoules: { 'package-0': 0, 'dram-0': 0 } })
  expect(lines[0]?.unread).toMatchObject({
    server: 'its process is not visible on this machine',
    rapl: null,
    battery: 'this system shows no battery',
  })
})
