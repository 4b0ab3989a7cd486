import { z } from 'zod'
import { type CapacityFinding, capacityFinding } from './finding.ts'
import { upgradeFinding } from './upgrade-finding.ts'

/** Reads what `transcribench capacity` wrote, in this format version or an older one. */
export const capacityFindingSchema: z.ZodType<CapacityFinding> = z.preprocess(upgradeFinding, capacityFinding)

/** For `docs/schemas`. */
export function capacityJsonSchema(): object {
  return z.toJSONSchema(capacityFinding)
}
