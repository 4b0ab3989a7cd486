import { accessCases } from './cases/access.ts'
import { inventoryCases } from './cases/inventory.ts'
import { modeFieldCases } from './cases/mode-fields.ts'
import { modeNameCases } from './cases/mode-names.ts'
import { modeCases } from './cases/modes.ts'
import { protocolCases } from './cases/protocol.ts'
import type { ConformanceCase } from './conformance-case.ts'

/** Every case, in the order in which they run. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...accessCases,
  ...protocolCases,
  ...inventoryCases,
  ...modeCases,
  ...modeNameCases,
  ...modeFieldCases,
]
