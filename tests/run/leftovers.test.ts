import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { processStart } from '#telemetry/processes'
import { isRunAlive } from '../../src/run/leftovers.ts'
import { aRecord } from '../journal/a-run.ts'
import { temporaryFolder } from '../temporary-folder.ts'

// On Windows the start of a process is not reported, and the clock is all that there is.
test.skipIf(process.platform === 'win32')(
  'a run is alive as long as its process is, also where the clock was set forward after it began',
  async () => {
    await using folder = await temporaryFolder()
    const processStartedAt = await processStart(process.pid)
    // A small machine without a battery for its clock begins in 1970, and gets the time from the network.
    const record = { ...aRecord, pid: process.pid, processStartedAt, startedAt: '1970-01-01T00:05:00.000Z' }
    await writeFile(join(folder.path, 'run.json'), JSON.stringify(record))
    expect(await isRunAlive(folder.path)).toBe(true)
  },
)

test('a run from before the machine started is dead where the start of its process was not recorded', async () => {
  await using folder = await temporaryFolder()
  const record = {
    ...aRecord,
    pid: process.pid,
    processStartedAt: null,
    startedAt: '1970-01-01T00:05:00.000Z',
  }
  await writeFile(join(folder.path, 'run.json'), JSON.stringify(record))
  expect(await isRunAlive(folder.path)).toBe(false)
})
