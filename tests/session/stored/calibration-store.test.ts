import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Calibration } from '#analysis'
import { readCalibration, storeCalibration } from '../../../src/session/stored/baselines.ts'
import { aRecord } from '../../journal/a-run.ts'
import { temporaryFolder } from '../../journal/temporary-folder.ts'

const calibration: Calibration = {
  measuredAt: '2026-11-21T07:31:02.000Z',
  contenderId: 'tiny',
  pairCount: 10,
  spreads: {},
  utteranceSpread: null,
}

test('a calibration is kept next to those of other hosts', async () => {
  await using results = await temporaryFolder()
  const elsewhere = { ...aRecord, host: { ...aRecord.host, cpuModel: 'another' } }
  expect(await readCalibration(results.path, aRecord)).toBeNull()
  await storeCalibration(results.path, aRecord, calibration)
  await storeCalibration(results.path, elsewhere, { ...calibration, pairCount: 2 })
  expect(await readCalibration(results.path, aRecord)).toEqual(calibration)
})

test.each([
  ['damaged', '{"formatVersion":1,"calibra', /calibrations\.json$/, /JSON/],
  ['of a newer version', '{"formatVersion":2,"calibrations":{}}', /^formatVersion$/, /expected 1/],
])('calibrations that are %s are neither ignored nor replaced', async (_, text, where, what) => {
  await using results = await temporaryFolder()
  const path = join(results.path, 'calibrations.json')
  await writeFile(path, text)
  const unreadable = {
    code: 'CALIBRATIONS_UNREADABLE',
    message: expect.stringContaining(path),
    problems: [{ where: expect.stringMatching(where), what: expect.stringMatching(what) }],
  }
  await expect(readCalibration(results.path, aRecord)).rejects.toMatchObject(unreadable)
  await expect(storeCalibration(results.path, aRecord, calibration)).rejects.toMatchObject(unreadable)
  expect(await readFile(path, 'utf8')).toBe(text)
})
