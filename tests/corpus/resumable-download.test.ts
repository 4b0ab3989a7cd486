import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { downloadResumably } from '../../src/corpus/packages/resumable-download.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startRegistry, tarballDate, tarballVersion } from './registry.ts'

/** A registry whose tarball is fetched as a file, and where that file is to be. */
async function setUp() {
  const registry = await startRegistry({ 'audio/a.wav': randomBytes(300_000) })
  const folder = await temporaryFolder()
  const path = join(folder.path, 'a.tgz')
  const download = async (onProgress = (_receivedBytes: number): void => undefined): Promise<Buffer> => {
    await downloadResumably({
      url: registry.tarballUrl,
      path,
      environment: {},
      onProgress: ({ receivedBytes }) => onProgress(receivedBytes),
    })
    return await readFile(path)
  }
  const breakAfterBytes = 100_000
  return {
    registry,
    path,
    download,
    /** The connection breaks once, when the client has these bytes. */
    downloadWithBreak() {
      const arrived = Promise.withResolvers<void>()
      registry.next({ breakAfterBytes, arrived: arrived.promise })
      return download((receivedBytes) => void (receivedBytes === breakAfterBytes && arrived.resolve()))
    },
    async [Symbol.asyncDispose]() {
      await folder[Symbol.asyncDispose]()
      await registry[Symbol.asyncDispose]()
    },
  }
}

test('a connection that breaks is taken up again where it broke', async () => {
  await using place = await setUp()
  const content = await place.downloadWithBreak()
  expect(place.registry.tarballRequests).toEqual([0, 100_000])
  expect(await place.download()).toEqual(content)
})

test('a server that is out of order for a moment is asked again', async () => {
  await using place = await setUp()
  place.registry.next({ status: 503 })
  await place.download()
  expect(place.registry.tarballRequests).toEqual([0, 0])
})

test('a server that knows no ranges sends the whole, and the whole is what arrives', async () => {
  await using place = await setUp()
  const whole = await place.download()
  await writeFile(place.path, '')
  place.registry.ignoreRanges()
  expect(await place.downloadWithBreak()).toEqual(whole)
  expect(place.registry.tarballRequests).toHaveLength(3)
})

test('a download goes on by the date of a file where its server sends no ETag', async () => {
  await using place = await setUp()
  place.registry.sendDateOnly()
  await place.downloadWithBreak()
  expect(place.registry.tarballRequests).toEqual([0, 100_000])
  expect(place.registry.conditions).toEqual([undefined, tarballDate])
})

test('a part of which no version is known, and a file that is too long, are fetched anew', async () => {
  await using place = await setUp()
  const whole = await place.download()
  for (const left of [whole.subarray(0, 50_000), randomBytes(whole.length + 10)]) {
    await writeFile(place.path, left)
    expect(await place.download()).toEqual(whole)
  }
  expect(place.registry.tarballRequests).toEqual([0, 50_000, 0, whole.length + 10, 0])
  await writeFile(place.path, whole.subarray(0, 50_000))
  await writeFile(`${place.path}.version`, tarballVersion(whole))
  expect(await place.download()).toEqual(whole)
  expect(place.registry.tarballRequests.slice(5)).toEqual([50_000])
})
