import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeStored } from '../../../src/session/stored/baselines.ts'
import { temporaryFolder } from '../../journal/temporary-folder.ts'

test('a file that cannot be written leaves no part of it behind', async () => {
  await using results = await temporaryFolder()
  const path = join(results.path, 'baselines.json')
  await mkdir(path)
  await expect(writeStored(path, {})).rejects.toThrow(/EISDIR|EPERM/)
  expect(await readdir(results.path)).toEqual(['baselines.json'])
})
