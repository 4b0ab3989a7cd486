import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

type Key = 'type' | 'scope' | 'online' | 'status' | 'power_now' | 'current_now' | 'voltage_now'

/** One battery or plug: its keys, empty where it does not have one. */
type Supply = Readonly<Record<Key, string>>

const keys: readonly Key[] = ['type', 'scope', 'online', 'status', 'power_now', 'current_now', 'voltage_now']

/**
 * Batteries and plugs as Linux shows them.
 *
 * @param sysFolder usually `/sys`
 * @returns none on macOS and Windows
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
  // Mice and headsets have batteries too.
  return supplies.filter(({ scope }) => scope !== 'Device')
}

/**
 * What a machine runs on. Laptops slow their processors on a battery.
 *
 * @param sysFolder usually `/sys`
 * @returns null where the system does not say: macOS, Windows, and machines without a battery
 */
export async function readPowerSource(sysFolder: string): Promise<'mains' | 'battery' | null> {
  const supplies = await readSupplies(sysFolder)
  const batteries = supplies.filter(({ type }) => type === 'Battery')
  if (batteries.length === 0) return null
  return isOnBattery(supplies) ? 'battery' : 'mains'
}

/** Power that a machine takes from its batteries, or why it is not known. */
export type BatteryPower =
  | { readonly watts: number; readonly reason?: undefined }
  | { readonly watts: null; readonly reason: string }

/**
 * What the batteries of this machine give: the power of the whole machine, screen and all, while nothing else feeds it.
 *
 * @param sysFolder usually `/sys`
 */
export async function readBatteryPower(sysFolder: string): Promise<BatteryPower> {
  const supplies = await readSupplies(sysFolder)
  const batteries = supplies.filter(({ type }) => type === 'Battery')
  if (batteries.length === 0) return { watts: null, reason: 'this system shows no battery' }
  if (!isOnBattery(supplies)) return { watts: null, reason: 'the machine was plugged in' }
  const watts = batteries.filter(({ status }) => status === 'Discharging').map(wattsOf)
  const known = watts.filter((value) => value !== null)
  if (known.length < watts.length) return { watts: null, reason: 'the battery does not report its power' }
  return { watts: known.reduce((sum, value) => sum + value, 0) }
}

function isOnBattery(supplies: readonly Supply[]): boolean {
  const isPlugged = supplies.some(({ type, online }) => type !== 'Battery' && online === '1')
  return !isPlugged && supplies.some(({ type, status }) => type === 'Battery' && status === 'Discharging')
}

/** In microwatts; else the current in microamperes times the voltage in microvolts. Some drivers show what leaves as negative. */
function wattsOf({ power_now, current_now, voltage_now }: Supply): number | null {
  const [power, current, voltage] = [power_now, current_now, voltage_now].map((text) =>
    /^-?\d+$/.test(text) ? Math.abs(Number(text)) : null,
  )
  if (power != null) return power / 1e6
  return current == null || voltage == null ? null : (current / 1e6) * (voltage / 1e6)
}
