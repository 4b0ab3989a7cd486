import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Calibration } from '#analysis/figures/speed/calibration'
import { readBaselines, removeBaseline, setBaseline } from '#results/baselines'
import { readCalibration, storeCalibration } from '#results/calibrations'
import { writeStored } from '#results/stored-file'
import { aRecord } from '../journal/a-run.ts'
import { temporaryFolder } from '../temporary-folder.ts'

test('baselines that the system does not let be read are reported with the file', async () => {
  await using results = await temporaryFolder()
  const path = join(results.path, 'baselines.json')
  await mkdir(path)
  await expect(readBaselines(results.path)).rejects.toMatchObject({
    code: 'BASELINES_UNREADABLE',
    message: expect.stringContaining(path),
  })
})

test('a run of another results folder is refused, because the baseline would not find it', async () => {
  await using results = await temporaryFolder()
  await using other = await temporaryFolder()
  const folder = join(other.path, aRecord.id)
  await mkdir(folder)
  await writeFile(join(folder, 'run.json'), JSON.stringify(aRecord))
  await expect(setBaseline('main', [folder], results.path)).rejects.toMatchObject({
    code: 'RUN_NOT_FOUND',
    message: `${folder} is not in ${results.path}, which holds the baselines`,
    hint: expect.stringContaining(`transcribench baseline set main ${aRecord.id} --results ${other.path}`),
  })
  expect(await readBaselines(results.path)).toEqual({})
})

test('a name that every object has is no baseline to remove', async () => {
  await using results = await temporaryFolder()
  expect(await removeBaseline('constructor', results.path)).toBe(false)
})

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

test('calibrations that are stored at the same time are all kept', async () => {
  await using results = await temporaryFolder()
  const records = [1, 2, 3].map((cpuCount) => ({ ...aRecord, host: { ...aRecord.host, cpuCount } }))
  await Promise.all(records.map((record) => storeCalibration(results.path, record, calibration)))
  for (const record of records) expect(await readCalibration(results.path, record)).toEqual(calibration)
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

test('a file that cannot be written leaves no part of it behind', async () => {
  await using results = await temporaryFolder()
  const path = join(results.path, 'baselines.json')
  await mkdir(path)
  await expect(writeStored(path, {})).rejects.toThrow(/EISDIR|EPERM/)
  expect(await readdir(results.path)).toEqual(['baselines.json'])
})
