import { createRun } from '#journal/run-writer'
import { anAttempt, aRecord } from './a-run.ts'

// Writes attempts for ever and reports to its parent each one that counts as written.
const writer = await createRun(process.argv[2] ?? '', aRecord.id)
await writer.writeRecord(aRecord)
await writer.writePlan([])
for (let index = 0; ; index += 1) {
  await writer.appendAttempt({ ...anAttempt, index })
  process.send?.(index + 1)
}
