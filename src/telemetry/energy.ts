import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shellWord } from '#prelude'
import { namesIn } from './system-files.ts'

export interface EnergyWatch {
  /** Asks the battery at most once a second, because its driver may take milliseconds. */
  askBattery(atMs: number): Promise<void>
  /** Reads the counters at once, and returns the battery's answer since the last reading. */
  read(): {
    /** Joules of each counter of the processor since the watch started; null where there is no counter. */
    readonly joules: Readonly<Record<string, number>> | null
    /** Null where it is unknown, or was returned by the previous reading. */
    readonly batteryWatts: number | null
    /** Why a reading is absent; null where it is not. */
    readonly reasons: { readonly rapl: string | null; readonly battery: string | null }
  }
}

/** A battery updates its readings only every few seconds. */
const batteryEveryMs = 1000

/** @param sysFolder usually `/sys` */
export function watchEnergy(sysFolder: string): EnergyWatch {
  const counters = openEnergyCounters(sysFolder)
  let battery: Awaited<ReturnType<typeof readBatteryPower>> | null = null
  let batteryAtMs = Number.NEGATIVE_INFINITY
  let isFresh = false
  return {
    async askBattery(atMs) {
      if (atMs - batteryAtMs < batteryEveryMs) return
      batteryAtMs = atMs
      battery = await readBatteryPower(sysFolder)
      isFresh = true
    },
    read() {
      const batteryWatts = isFresh ? (battery?.watts ?? null) : null
      isFresh = false
      const joules = counters.read()
      return { joules, batteryWatts, reasons: { rapl: counters.reason(), battery: battery?.reason ?? null } }
    },
  }
}

const keys = ['type', 'scope', 'online', 'status', 'power_now', 'current_now', 'voltage_now'] as const

/** Properties of one battery or plug; empty where it lacks a property. */
type Supply = Readonly<Record<(typeof keys)[number], string>>

/**
 * Reads the batteries and plugs of this machine from Linux.
 *
 * @returns an empty list on macOS and Windows
 * @see https://docs.kernel.org/power/power_supply_class.html
 */
async function readSupplies(sysFolder: string): Promise<readonly Supply[]> {
  const folder = join(sysFolder, 'class/power_supply')
  const names = await readdir(folder).catch(() => [])
  const supplies = await Promise.all(
    names.map(async (name) => {
      const values = await Promise.all(
        keys.map((key) => readFile(join(folder, name, key), 'utf8').catch(() => '')),
      )
      return Object.fromEntries(keys.map((key, index) => [key, (values[index] ?? '').trim()])) as Supply
    }),
  )
  // Some mice and headsets have batteries as well.
  return supplies.filter(({ scope }) => scope !== 'Device')
}

/**
 * Reads whether a machine runs on mains or battery. Laptops slow their processors on a battery.
 *
 * @param sysFolder usually `/sys`
 * @returns null where the system does not report it: macOS, Windows, and machines without a battery
 */
export async function readPowerSource(sysFolder: string): Promise<'mains' | 'battery' | null> {
  const supplies = await readSupplies(sysFolder)
  const batteries = supplies.filter(({ type }) => type === 'Battery')
  if (batteries.length === 0) return null
  return isOnBattery(supplies) ? 'battery' : 'mains'
}

/**
 * Reads the power that the batteries supply. On battery, that is the power of the whole machine, with its screen.
 * `reason` says why it is unknown.
 */
async function readBatteryPower(
  sysFolder: string,
): Promise<{ readonly watts: number | null; readonly reason: string | null }> {
  const supplies = await readSupplies(sysFolder)
  const batteries = supplies.filter(({ type }) => type === 'Battery')
  if (batteries.length === 0) return { watts: null, reason: 'this system shows no battery' }
  if (!isOnBattery(supplies)) return { watts: null, reason: 'the machine was plugged in' }
  const watts = batteries.filter(({ status }) => status === 'Discharging').map(readWatts)
  const known = watts.filter((value) => value !== null)
  if (known.length < watts.length) return { watts: null, reason: 'the battery does not report its power' }
  return { watts: known.reduce((sum, value) => sum + value, 0), reason: null }
}

function isOnBattery(supplies: readonly Supply[]): boolean {
  const isPlugged = supplies.some(({ type, online }) => type !== 'Battery' && Number(online) > 0)
  return !isPlugged && supplies.some(({ type, status }) => type === 'Battery' && status === 'Discharging')
}

/** Reads `power_now` in µW, or else current in µA times voltage in µV. Some drivers report discharge as negative. */
function readWatts({ power_now, current_now, voltage_now }: Supply): number | null {
  const [power, current, voltage] = [power_now, current_now, voltage_now].map((text) =>
    /^-?\d+$/.test(text) ? Math.abs(Number(text)) : null,
  )
  if (power != null) return power / 1e6
  return current == null || voltage == null ? null : (current / 1e6) * (voltage / 1e6)
}

interface Zone {
  readonly id: string
  readonly path: string
  /** Max value, after which the counter starts at 0 again. */
  readonly rangeMicrojoules: number
  lastMicrojoules: number
  joules: number
}

/**
 * Opens Linux's RAPL counters of Intel and AMD processors: one per package, on some processors one for its memory
 * (`dram`) and one for the platform (`psys`). `core` and `uncore` are parts of the package, and `intel-rapl-mmio`
 * repeats the same counters.
 *
 * A counter below its last value has wrapped, and only once: its range is some 262 kJ, which takes 22 min at 200 W.
 * Samples are more frequent than that.
 *
 * @see https://docs.kernel.org/power/powercap/powercap.html
 */
function openEnergyCounters(sysFolder: string): {
  /** Joules of each readable counter since it was opened: `package-0`, `dram-0`, `psys`; null where there is none. */
  read(): Readonly<Record<string, number>> | null
  /** Why there is no counter; null where there is one. */
  reason(): string | null
} {
  const folder = join(sysFolder, 'class/powercap')
  const zones: Zone[] = []
  let problem: string | null = null
  const note = (what: string): void => {
    problem ??= what
  }
  const names = namesIn(folder).filter((name) => /^intel-rapl:\d+(:\d+)?$/.test(name))
  for (const name of names.sort()) {
    const id = zoneId(folder, name)
    if (id === null) continue
    const path = join(folder, name, 'energy_uj')
    const [value, range] = [readCount(path), readCount(join(folder, name, 'max_energy_range_uj'))]
    if (typeof value === 'string') note(value)
    else if (typeof range === 'string') note(range)
    else zones.push({ id, path, rangeMicrojoules: range, lastMicrojoules: value, joules: 0 })
  }
  if (names.length === 0) note(`this system shows no energy counter of the processor in ${folder}`)
  return {
    read() {
      const joules: Record<string, number> = {}
      for (const zone of zones) {
        const value = readCount(zone.path)
        if (typeof value === 'string') {
          note(value)
          continue
        }
        const step = value - zone.lastMicrojoules
        zone.joules += (step < 0 ? step + zone.rangeMicrojoules : step) / 1e6
        zone.lastMicrojoules = value
        joules[zone.id] = zone.joules
      }
      return Object.keys(joules).length === 0 ? null : joules
    },
    reason: () => problem,
  }
}

/** Returns `package-0`, `dram-0` of the same package, or `psys`; null for a zone that is part of another one. */
function zoneId(folder: string, zone: string): string | null {
  const name = readText(join(folder, zone, 'name'))
  if (typeof name !== 'string') return null
  if (name === 'psys' || name.startsWith('package-')) return name
  if (name !== 'dram') return null
  const parent = readText(join(folder, zone.replace(/:\d+$/, ''), 'name'))
  return typeof parent === 'string' ? `dram-${parent.replace('package-', '')}` : null
}

/** Returns a count, or the reason why it cannot be read. */
function readCount(path: string): number | string {
  const text = readText(path)
  if (typeof text === 'string') {
    const value = Number(text)
    return /^\d+$/.test(text) ? value : `${path} holds no number`
  }
  if (text.code === 'EACCES' || text.code === 'EPERM') {
    return `${path} may be read by root only; to allow it until the next start: sudo chmod a+r ${shellWord(path)}`
  }
  return `${path} could not be read (${text.code})`
}

function readText(path: string): string | { readonly code: string } {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'unknown' }
  }
}
