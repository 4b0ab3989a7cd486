import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { downloadNpmPackage } from '#corpus/packages/package-files'
import type { DownloadProgress } from '../../src/corpus/packages/resumable-download.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { caught, lines } from './caught.ts'
import { pack, packageName, startRegistry, tarballVersion } from './registry.ts'

/** Noise does not compress, so the tarball is a little larger than this. */
const content = { 'audio/a.wav': randomBytes(300_000) }

type Options = Omit<Parameters<typeof downloadNpmPackage>[0], 'name' | 'version' | 'integrity'>

interface Place extends AsyncDisposable {
  readonly registry: Awaited<ReturnType<typeof startRegistry>>
  readonly into: string
  /** Where a download ends. */
  readonly tarball: string
  readonly download: (options?: Partial<Options> & { readonly integrity?: string }) => Promise<string>
}

async function setUp(): Promise<Place> {
  const [registry, folder] = [await startRegistry(content), await temporaryFolder()]
  const into = join(folder.path, 'downloads')
  return {
    registry,
    into,
    tarball: join(into, 'voices-some-speech-1.2.3.tgz'),
    download: (options) =>
      downloadNpmPackage({ ...registry.package, environment: registry.env, into, ...options }),
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]()
      await registry[Symbol.asyncDispose]()
    },
  }
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

/** Leaves the first bytes of the tarball where an interrupted call leaves them. @returns the whole */
async function leavePart({ registry, into, tarball }: Place): Promise<Buffer> {
  const whole = Buffer.from(await (await fetch(registry.tarballUrl)).arrayBuffer())
  await mkdir(into)
  await writeFile(`${tarball}.partial`, whole.subarray(0, 50_000))
  await writeFile(`${tarball}.partial.version`, tarballVersion(whole))
  return whole
}

// Each waits for npm and a registry: they wait at the same time.
test.concurrent('a package is fetched once, with progress from its first byte to its last', async () => {
  await using place = await setUp()
  const seen: DownloadProgress[] = []
  const tarball = await place.download({ onProgress: (progress) => seen.push(progress) })
  const { size } = await stat(tarball)
  expect(tarball).toBe(place.tarball)
  expect(seen[0]).toEqual({ receivedBytes: 0, totalBytes: size })
  expect(seen.at(-1)).toEqual({ receivedBytes: size, totalBytes: size })
  expect(seen.map(({ receivedBytes }) => receivedBytes)).toEqual(
    seen.map(({ receivedBytes }) => receivedBytes).toSorted((left, right) => left - right),
  )
  expect(await place.download()).toBe(tarball)
  expect(place.registry.tarballRequests).toEqual([0])
  expect(await readdir(place.into)).toEqual(['voices-some-speech-1.2.3.tgz'])
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

test.concurrent('what an earlier call left is fetched anew where it is damaged', async () => {
  await using place = await setUp()
  const whole = await leavePart(place)
  await writeFile(`${place.tarball}.partial`, randomBytes(whole.length))
  expect(await readFile(await place.download())).toEqual(whole)
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

test.concurrent('of two that fetch at once, one goes on from what is there, the other begins apart', async () => {
  await using place = await setUp()
  const whole = await leavePart(place)
  const { tarball } = place
  expect(await Promise.all([place.download(), place.download()])).toEqual([tarball, tarball])
  expect(place.registry.tarballRequests.slice(1).toSorted((left, right) => left - right)).toEqual([0, 50_000])
  expect(await readFile(tarball)).toEqual(whole)
  expect(await readdir(place.into)).toEqual(['voices-some-speech-1.2.3.tgz'])
})

test.concurrent('a claim that a dead process left behind is taken over', async () => {
  await using place = await setUp()
  await leavePart(place)
  // No process has this number: Linux ends at 2^22, macOS and Windows far below 2^31.
  await writeFile(`${place.tarball}.partial.pid`, '2147483647')
  await place.download()
  expect(place.registry.tarballRequests).toEqual([0, 50_000])
})
