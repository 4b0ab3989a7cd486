import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { downloadNpmPackage } from '#corpus/packages/package-files'
import type { DownloadProgress } from '../../src/corpus/packages/resumable-download.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { caught, lines } from './caught.ts'
import { pack, packageName, startRegistry, tarballDate, tarballVersion } from './registry.ts'

/** Noise does not compress, so the tarball is a little larger than this. */
const content = { 'audio/a.wav': randomBytes(300_000) }

type Options = Omit<Parameters<typeof downloadNpmPackage>[0], 'name' | 'version' | 'integrity'>

interface Place extends AsyncDisposable {
  readonly registry: Awaited<ReturnType<typeof startRegistry>>
  readonly into: string
  readonly download: (options?: Partial<Options> & { readonly integrity?: string }) => Promise<string>
}

async function setUp(): Promise<Place> {
  const [registry, folder] = [await startRegistry(content), await temporaryFolder()]
  const into = join(folder.path, 'downloads')
  return {
    registry,
    into,
    download: (options) =>
      downloadNpmPackage({ ...registry.package, environment: registry.env, into, ...options }),
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]()
      await registry[Symbol.asyncDispose]()
    },
  }
}

async function downloadWithBreak(place: Place, breakAfterBytes: number): Promise<string> {
  let arrive = (): void => undefined
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  place.registry.next({ breakAfterBytes, arrived })
  return await place.download({
    onProgress: ({ receivedBytes }) => {
      if (receivedBytes === breakAfterBytes) arrive()
    },
  })
}

test.skipIf(process.platform === 'win32')('a package is fetched by a user without a home, too', async () => {
  await using place = await setUp()
  // Not even root can make a folder there.
  const { npm_config_cache: _, ...env } = place.registry.env
  const environment = { ...env, HOME: '/proc/nonexistent' }
  const tarball = await place.download({ environment })
  expect((await stat(tarball)).size).toBeGreaterThan(300_000)
  expect(await readdir(place.into)).toEqual(['voices-some-speech-1.2.3.tgz'])
})

// Each waits for npm and a registry: they wait at the same time.
test.concurrent('a package is fetched once, with progress from its first byte to its last', async () => {
  await using place = await setUp()
  const seen: DownloadProgress[] = []
  const tarball = await place.download({ onProgress: (progress) => seen.push(progress) })
  const { size } = await stat(tarball)
  expect(tarball).toBe(join(place.into, 'voices-some-speech-1.2.3.tgz'))
  expect(seen[0]).toEqual({ receivedBytes: 0, totalBytes: size })
  expect(seen.at(-1)).toEqual({ receivedBytes: size, totalBytes: size })
  expect(seen.map(({ receivedBytes }) => receivedBytes)).toEqual(
    seen.map(({ receivedBytes }) => receivedBytes).toSorted((left, right) => left - right),
  )
  expect(await place.download()).toBe(tarball)
  expect(place.registry.tarballRequests).toEqual([0])
  expect(await readdir(place.into)).toEqual(['voices-some-speech-1.2.3.tgz'])
})

test.concurrent('a connection that breaks is taken up again where it broke', async () => {
  await using place = await setUp()
  await downloadWithBreak(place, 100_000)
  expect(place.registry.tarballRequests).toEqual([0, 100_000])
})

test.concurrent('a server that is out of order for a moment is asked again', async () => {
  await using place = await setUp()
  place.registry.next({ status: 503 })
  await place.download()
  expect(place.registry.tarballRequests).toEqual([0, 0])
})

test.concurrent('an interrupted download is kept, and the next call goes on from there', async () => {
  await using place = await setUp()
  const abort = new AbortController()
  const interrupted = place.download({
    signal: abort.signal,
    onProgress: ({ receivedBytes }) => {
      if (receivedBytes > 0) abort.abort(new Error('interrupted'))
    },
  })
  await expect(interrupted).rejects.toThrow('interrupted')
  expect(await readdir(place.into)).toEqual([
    'voices-some-speech-1.2.3.tgz.partial',
    'voices-some-speech-1.2.3.tgz.partial.version',
  ])
  const { size } = await stat(join(place.into, 'voices-some-speech-1.2.3.tgz.partial'))
  await place.download()
  expect(place.registry.tarballRequests).toEqual([0, ...(size > 0 ? [size] : [0])])
})

test.concurrent('what an earlier call left is fetched anew where it is damaged, or longer than the package', async () => {
  await using place = await setUp()
  const partial = join(place.into, 'voices-some-speech-1.2.3.tgz.partial')
  const tarball = await place.download()
  const whole = await readFile(tarball)
  for (const left of [randomBytes(5000), randomBytes(whole.length), randomBytes(whole.length + 10)]) {
    await writeFile(partial, left)
    await writeFile(tarball, 'damaged')
    expect(await readFile(await place.download())).toEqual(whole)
  }
})

test.concurrent('a server that knows no ranges sends the whole, and the whole is what arrives', async () => {
  await using place = await setUp()
  place.registry.ignoreRanges()
  const { size } = await stat(await downloadWithBreak(place, 100_000))
  expect(size).toBeGreaterThan(300_000)
  expect(place.registry.tarballRequests).toHaveLength(2)
})

test.concurrent('another package under the same name is refused, and nothing of it is left', async () => {
  await using place = await setUp()
  place.registry.replaceTarball(await pack({ 'audio/a.wav': 'something else' }))
  const error = await caught(place.download())
  expect(error).toMatchObject({ code: 'PACKAGE_CORRUPT', exit: 'badInput' })
  expect(error.message).toContain(`${packageName}@1.2.3`)
  expect(await readdir(place.into)).toEqual([])
})

test.concurrent('where the direct way is barred, npm itself fetches the package with its credentials', async () => {
  await using place = await setUp()
  place.registry.barDirectWay()
  const tarball = await place.download()
  expect((await stat(tarball)).size).toBeGreaterThan(300_000)
  expect(await readdir(place.into)).toEqual(['voices-some-speech-1.2.3.tgz'])
})

test.concurrent('a package that the registry does not have is reported with what npm said', async () => {
  await using place = await setUp()
  const { env } = place.registry
  const name = 'no-such-voices'
  const error = await caught(
    downloadNpmPackage({ ...place.registry.package, name, into: place.into, environment: env }),
  )
  expect(error).toMatchObject({ code: 'PACKAGE_UNREACHABLE', exit: 'badInput' })
  expect(lines(error).join()).toMatch(/no-such-voices@1\.2\.3 {2}npm: /)
})

test.concurrent('a machine without npm is reported as such', async () => {
  await using place = await setUp()
  const { env, package: wanted } = place.registry
  const error = await caught(
    downloadNpmPackage({ ...wanted, into: place.into, environment: { ...env, PATH: place.into } }),
  )
  expect(lines(error)).toEqual([`${packageName}@1.2.3  npm was not found; it comes with Node.js`])
})

async function writePart(tarball: string, whole: Uint8Array): Promise<void> {
  await writeFile(`${tarball}.partial`, whole.subarray(0, 50_000))
  await writeFile(`${tarball}.partial.version`, tarballVersion(whole))
}

test.concurrent('a download begins again where no version is kept next to its part', async () => {
  await using place = await setUp()
  const tarball = await place.download()
  const whole = await readFile(tarball)
  await writeFile(tarball, 'damaged')
  await writeFile(`${tarball}.partial`, whole.subarray(0, 50_000))
  expect(await readFile(await place.download())).toEqual(whole)
  expect(place.registry.tarballRequests).toEqual([0, 50_000, 0])
})

test.concurrent('a download goes on by the date of a file where its server sends no ETag', async () => {
  await using place = await setUp()
  place.registry.sendDateOnly()
  await downloadWithBreak(place, 100_000)
  expect(place.registry.tarballRequests).toEqual([0, 100_000])
  expect(place.registry.conditions).toEqual([undefined, tarballDate])
})

test.concurrent('of two that fetch at once, one goes on from what is there, the other begins apart', async () => {
  await using place = await setUp()
  const tarball = await place.download()
  const whole = await readFile(tarball)
  await writeFile(tarball, 'damaged')
  await writePart(tarball, whole)
  expect(await Promise.all([place.download(), place.download()])).toEqual([tarball, tarball])
  expect(place.registry.tarballRequests.slice(1).toSorted((left, right) => left - right)).toEqual([0, 50_000])
  expect(await readFile(tarball)).toEqual(whole)
  expect(await readdir(place.into)).toEqual(['voices-some-speech-1.2.3.tgz'])
})

test.concurrent('a claim that a dead process left behind is taken over', async () => {
  await using place = await setUp()
  await place.download()
  const tarball = join(place.into, 'voices-some-speech-1.2.3.tgz')
  const whole = await readFile(tarball)
  await writeFile(tarball, 'damaged')
  await writePart(tarball, whole)
  // No process has this number: Linux ends at 2^22, macOS and Windows far below 2^31.
  await writeFile(`${tarball}.partial.pid`, '2147483647')
  await place.download()
  expect(place.registry.tarballRequests).toEqual([0, 50_000])
})
