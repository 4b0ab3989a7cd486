import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readBaselines, removeBaseline } from '#session/stored'
import { temporaryFolder } from '../../journal/temporary-folder.ts'

test('baselines that the system does not let be read are reported with the file', async () => {
  await using results = await temporaryFolder()
  const path = join(results.path, 'baselines.json')
  await mkdir(path)
  await expect(readBaselines(results.path)).rejects.toMatchObject({
    code: 'BASELINES_UNREADABLE',
    message: expect.stringContaining(path),
  })
})

test('a name that every object has is no baseline to remove', async () => {
  await using results = await temporaryFolder()
  expect(await removeBaseline('constructor', results.path)).toBe(false)
})
