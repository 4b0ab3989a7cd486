import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { extractPackageFiles } from '#corpus/packages/package-files'
import { temporaryFolder } from '../temporary-folder.ts'
import { caught, lines } from './caught.ts'
import { pack } from './registry.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

test('a file that is missing or different stops all of them, and every one is named', async () => {
  await using folder = await temporaryFolder()
  const tarball = await folder.write('p.tgz', await pack({ 'a.wav': 'one', 'b.wav': 'two' }))
  const into = join(folder.path, 'out')
  const error = await caught(
    extractPackageFiles({
      tarball,
      into,
      files: [
        { from: 'a.wav', to: 'a.wav', sha256: sha256('one') },
        { from: 'b.wav', to: 'b.wav', sha256: sha256('other') },
        { from: 'gone.wav', to: 'c.wav' },
      ],
    }),
  )
  expect(error.code).toBe('PACKAGE_CORRUPT')
  expect(lines(error)).toEqual([
    `b.wav  has sha256 ${sha256('two')}, expected ${sha256('other')}`,
    'gone.wav  is not in the package',
  ])
  expect(await readdir(into)).toEqual([])
})

test('a tarball that is none, or is cut short, is refused', async () => {
  await using folder = await temporaryFolder()
  const whole = await pack({ 'a.wav': 'one' })
  const into = join(folder.path, 'out')
  for (const bytes of [Buffer.from('nonsense'), whole.subarray(0, whole.length - 30)]) {
    const tarball = await folder.write('p.tgz', bytes)
    const error = await caught(
      extractPackageFiles({ tarball, into, files: [{ from: 'a.wav', to: 'a.wav' }] }),
    )
    expect(error.code).toBe('PACKAGE_CORRUPT')
    expect(await readdir(into)).toEqual([])
  }
})

test.each(['../a.wav', '/tmp/a.wav', 'x/../../a.wav'])(
  'no file is placed outside of the folder: %s',
  async (to) => {
    await using folder = await temporaryFolder()
    const tarball = await folder.write('p.tgz', await pack({ 'a.wav': 'one' }))
    const work = extractPackageFiles({
      tarball,
      into: join(folder.path, 'out'),
      files: [{ from: 'a.wav', to }],
    })
    await expect(work).rejects.toThrow('leaves the folder')
  },
)
