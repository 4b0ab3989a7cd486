import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Writes files below a folder that stands in for `/sys`, each with its text. */
export async function writeSys(
  root: string,
  files: Readonly<Record<string, string | number>>,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, 'class', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, `${text}\n`)
  }
}

/** A package of a server processor with its memory and its cores, as `intel-rapl:0`, `:1` and so on. */
export function raplPackage(
  index: number,
  { microjoules = 0, range = 262_143_328_850 } = {},
): Record<string, string | number> {
  const zone = (name: string): Record<string, string | number> => ({
    [`powercap/intel-rapl:${index}${name === 'core' ? ':0' : ':1'}/name`]: name,
    [`powercap/intel-rapl:${index}${name === 'core' ? ':0' : ':1'}/energy_uj`]: microjoules,
    [`powercap/intel-rapl:${index}${name === 'core' ? ':0' : ':1'}/max_energy_range_uj`]: range,
  })
  return {
    [`powercap/intel-rapl:${index}/name`]: `package-${index}`,
    [`powercap/intel-rapl:${index}/energy_uj`]: microjoules,
    [`powercap/intel-rapl:${index}/max_energy_range_uj`]: range,
    ...zone('core'),
    ...zone('dram'),
  }
}
