import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Counters of energy, from the moment that they were opened. */
export interface EnergyCounters {
  /** Joules since then of each counter that could be read: `package-0`, `dram-0`, `psys`; null where there is none. */
  read(): Readonly<Record<string, number>> | null
  /** Why there is none; null where there is one. */
  reason(): string | null
}

interface Zone {
  readonly id: string
  readonly path: string
  /** Largest value, from which the counter begins at 0 again. */
  readonly rangeMicrojoules: number
  lastMicrojoules: number
  joules: number
}

/**
 * The processor's counters (RAPL) as Linux shows them, of Intel and of AMD: one for each package, and with some processors one for
 * its memory (`dram`) and one for the platform (`psys`). `core` and `uncore` are parts of the package, and `intel-rapl-mmio` counts
 * the same again.
 *
 * A counter that is smaller than before began anew, and only once: its range is some 262 kJ, which takes 22 min at 200 W, and samples
 * are closer.
 *
 * @param sysFolder usually `/sys`
 * @see https://docs.kernel.org/power/powercap/powercap.html
 */
export function openEnergyCounters(sysFolder: string): EnergyCounters {
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
        advance(zone, value)
        joules[zone.id] = zone.joules
      }
      return Object.keys(joules).length === 0 ? null : joules
    },
    reason: () => problem,
  }
}

const microjoulesPerJoule = 1e6

function advance(zone: Zone, microjoules: number): void {
  const step = microjoules - zone.lastMicrojoules
  zone.joules += (step < 0 ? step + zone.rangeMicrojoules : step) / microjoulesPerJoule
  zone.lastMicrojoules = microjoules
}

/** `package-0`, `dram-0` of the same package, `psys`; null for a zone that is part of another one. */
function zoneId(folder: string, zone: string): string | null {
  const name = readText(join(folder, zone, 'name'))
  if (typeof name !== 'string') return null
  if (name === 'psys' || name.startsWith('package-')) return name
  if (name !== 'dram') return null
  const parent = readText(join(folder, zone.replace(/:\d+$/, ''), 'name'))
  return typeof parent === 'string' ? `dram-${parent.replace('package-', '')}` : null
}

/** A count, or why there is none. */
function readCount(path: string): number | string {
  const text = readText(path)
  if (typeof text === 'string') {
    const value = Number(text)
    return /^\d+$/.test(text) ? value : `${path} holds no number`
  }
  if (text.code === 'EACCES' || text.code === 'EPERM') {
    return `${path} may be read by root only; to allow it until the next start: sudo chmod a+r ${path}`
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

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Not Linux, a virtual machine, or a container that hides it.
    return []
  }
}
