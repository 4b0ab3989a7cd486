import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where Linux shows its batteries and plugs. */
export const linuxPowerSupplies = '/sys/class/power_supply'

/**
 * What a machine runs on. Laptops slow their processors on a battery.
 *
 * @param folder usually `linuxPowerSupplies`
 * @returns null where the system has no such files: macOS, Windows, and machines without a battery
 * @see https://docs.kernel.org/power/power_supply_class.html
 */
export async function readPowerSource(folder: string): Promise<'mains' | 'battery' | null> {
  const names = await readdir(folder).catch(() => [])
  const supplies = await Promise.all(
    names.map(async (name) => {
      const read = (key: string): Promise<string> =>
        readFile(join(folder, name, key), 'utf8').then(
          (text) => text.trim(),
          // Not every supply has every key.
          () => '',
        )
      const [type, scope, online, status] = await Promise.all(['type', 'scope', 'online', 'status'].map(read))
      return { type, scope, online, status }
    }),
  )
  // Mice and headsets have batteries too.
  const own = supplies.filter(({ scope }) => scope !== 'Device')
  const isPlugged = own.some(({ type, online }) => type !== 'Battery' && online === '1')
  const batteries = own.filter(({ type }) => type === 'Battery')
  if (batteries.length === 0) return null
  return !isPlugged && batteries.some(({ status }) => status === 'Discharging') ? 'battery' : 'mains'
}
