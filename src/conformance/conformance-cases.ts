import { accessCases } from './cases/access.ts'
import { audioFileCases } from './cases/audio-files.ts'
import { discoveryCases } from './cases/discovery.ts'
import { inventoryCases } from './cases/inventory.ts'
import { limitCases } from './cases/limits.ts'
import { modeFieldCases } from './cases/mode-fields.ts'
import { modeNameCases } from './cases/mode-names.ts'
import { modeCases } from './cases/modes.ts'
import { postProcessingCases } from './cases/post-processing.ts'
import { protocolCases } from './cases/protocol.ts'
import { recorderCases } from './cases/recorder.ts'
import { recordingCases } from './cases/recordings.ts'
import { resilienceCases } from './cases/resilience.ts'
import { transcriptionCases } from './cases/transcription.ts'
import type { ConformanceCase } from './conformance-case.ts'

/** Every case, in the order in which they run. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...accessCases,
  ...protocolCases,
  ...inventoryCases,
  ...modeCases,
  ...modeNameCases,
  ...modeFieldCases,
  ...transcriptionCases,
  ...resilienceCases,
  ...audioFileCases,
  ...postProcessingCases,
  ...limitCases,
  ...recorderCases,
  ...recordingCases,
  ...discoveryCases,
]
