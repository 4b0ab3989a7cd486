import type { EnergyPartName, Evaluation } from '#analysis'

/** Parts of a machine as people read them. */
export const energyPartNames: Readonly<Record<EnergyPartName, string>> = {
  package: 'processors',
  dram: 'memory',
  gpu: 'graphics processors',
  battery: 'whole machine (battery)',
  psys: 'platform',
}

/** What the energy of a run covers, and what it does not. */
export function energyNote({
  contenders,
  resources: { gpu },
  speeds,
}: Pick<Evaluation, 'contenders' | 'resources' | 'speeds'>): string {
  const covers = new Set(
    contenders.flatMap(({ energy }) => (energy === undefined || energy.value === null ? [] : energy.covers)),
  )
  const parts = [...covers].map((part) => energyPartNames[part])
  const rest = covers.has('battery')
    ? ''
    : ' Disks, fans, displays and losses of the power supply are not in it.'
  const silent = covers.has('gpu')
    ? (gpu?.devices ?? []).flatMap(({ id, powerWatts }) => (powerWatts === null ? [id] : []))
    : []
  const without = silent.length === 0 ? '' : ` No power is reported by ${silent.join(', ')}.`
  const withheld = speeds.withheld === null ? '' : ` As the speeds, it is not compared: ${speeds.withheld}.`
  return `It covers: ${parts.join(', ')}.${without}${rest} The power of the idle machine is included.${withheld}`
}

/** What could not be read of a machine, each with its reason. */
export function unreadEntries({
  resources: { unread },
}: Pick<Evaluation, 'resources'>): readonly (readonly [what: string, reason: string])[] {
  if (unread === undefined) return []
  const all: readonly (readonly [string, string | null])[] = [
    ['server process', unread.server],
    ['graphics processors', unread.gpu],
    ['energy of the processor', unread.rapl],
    ['energy from a battery', unread.battery],
  ]
  return all.flatMap(([what, reason]) => (reason === null ? [] : [[what, `not read: ${reason}`] as const]))
}
