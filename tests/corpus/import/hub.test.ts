import { mkdir, readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importCorpus } from '#corpus/import/import-corpus'
import { openImportSource } from '#corpus/import/open-source'
import type { SourceOptions } from '#corpus/import/source'
import { readCorpus } from '#corpus/read-corpus'
import { verifyCorpus } from '#corpus/verify-corpus'
import { startOddServer } from '../../client/odd-server.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { caught } from '../caught.ts'
import { askedOfSource as asked, everything, importFrom } from './import-from.ts'
import { audioOf, shard, shardBeside, startHub } from './local-hub.ts'

const idsOf = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${String(index).padStart(4, '0')}`)
const all = { ...everything, language: 'en' }
const path = 'data/test-00000-of-00001.parquet'
const fixture = (name: string) => readFile(new URL(`../fixtures/${name}.parquet`, import.meta.url))

type HubOptions = Parameters<typeof startHub>[0]

/** A hub with these files, and a folder for a corpus of them. */
async function place(files: HubOptions['files'], options: Partial<HubOptions> = {}) {
  const stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder())
  const hub = stack.use(await startHub({ files, ...options }))
  const output = join(folder.path, 'corpus')
  return {
    hub,
    output,
    /** Imports all of it. */
    import: (env = hub.env) => importFrom('hf:voices/speech', output, all, { env }),
    open: () => openImportSource('hf:voices/speech', asked, { env: hub.env }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

describe('a data set of the hub whose audio lies next to its Parquet files', () => {
  test.each([
    ['named by a struct without bytes', true],
    ['named by a path', false],
  ])('is read, with files %s', async (_name, isStruct) => {
    const rows = [
      ['a', 'audio/a.wav'],
      ['b', '../other/b.wav'],
    ] as const
    await using at = await place({
      [path]: shardBeside(rows, isStruct),
      'data/audio/a.wav': audioOf('a'),
      'other/b.wav': audioOf('b'),
    })
    const { manifestPath } = await at.import()
    const { utterances } = await readCorpus(manifestPath, { env: {} })
    expect(utterances.map(({ id, text }) => [id, text])).toEqual([
      ['a', 'words of a'],
      ['b', 'words of b'],
    ])
    expect(await readFile(utterances.at(1)?.audioPath ?? '')).toEqual(Buffer.from(audioOf('b')))
  })

  test('reports every file that the data set does not have, also outside of it, and keeps the others', async () => {
    const rows = [
      ['a', 'audio/a.wav'],
      ['b', 'audio/gone.wav'],
      ['c', '../../../etc/passwd'],
    ] as const
    await using at = await place({
      [path]: shardBeside(rows, true),
      'data/audio/a.wav': audioOf('a'),
    })
    const error = await caught(at.import())
    expect(error.problems.map(({ where, what }) => [where, what])).toEqual([
      [`${path}:2`, 'cannot be read: the data set has no file audio/gone.wav'],
      [`${path}:3`, 'cannot be read: the data set has no file ../../../etc/passwd'],
    ])
    expect(error.message).toContain('1 utterance is imported and kept')
  })

  test('is read where several rows name the same file, which is fetched once', async () => {
    const rows = idsOf('u', 8).map((id) => [id, 'audio/a.wav'] as const)
    await using at = await place({
      [path]: shardBeside(rows, true),
      'data/audio/a.wav': audioOf('a', 100_000),
    })
    await at.import()
    expect(at.hub.transfers.map((each) => each.path)).toEqual([path, 'data/audio/a.wav'])
  })

  test('ends at once where the hub refuses its files', async () => {
    const files = { [path]: shardBeside([['a', 'audio/a.wav']], true), 'data/audio/a.wav': audioOf('a') }
    await using at = await place(files, { wrongHashes: ['data/audio/a.wav'] })
    expect((await caught(at.import())).code).toBe('IMPORT_REFUSED')
  })
})

describe('the beginning of a large shard', () => {
  const large = shard(idsOf('u', 1000), 'UNCOMPRESSED', 8000)
  const newer = shard(idsOf('v', 1000), 'UNCOMPRESSED', 8000)

  test('is fetched without the rest, once, also where the import was interrupted', async () => {
    await using at = await place({ [path]: large })
    const { hub, output } = at
    const source = await at.open()
    const stop = new AbortController()
    const options = { ...all, limit: 150, output }
    const onProgress = ({ utteranceCount }: { readonly utteranceCount: number }): void => {
      if (utteranceCount === 50) stop.abort(new Error('stopped'))
    }
    await expect(importCorpus(source, { ...options, onProgress, signal: stop.signal })).rejects.toThrow()
    const before = hub.transfers.length
    expect(await importCorpus(source, options)).toMatchObject({ utteranceCount: 150 })
    const sent = hub.transfers.reduce((sum, transfer) => sum + transfer.sent, 0)
    expect(sent).toBeLessThan(large.length / 2)
    const starts = hub.transfers.map(({ from }) => from)
    expect(new Set(starts).size).toBe(starts.length)
    expect(hub.transfers.length).toBeGreaterThan(before)
  })

  test('is fetched again where the hub has another version of it, and is put together of one version', async () => {
    await using folder = await temporaryFolder()
    const firstOf = async (bytes: Uint8Array) => {
      await using at = await place({ [path]: bytes })
      const source = await at.open()
      const context = { workFolder: folder.path, isPartial: true, onDownload: () => undefined }
      const part = await source.parts[0]?.open(context)
      return Buffer.from((await part?.recordings[0]?.read()) ?? [])
    }
    expect(await firstOf(large)).toEqual(Buffer.from(audioOf('u-0000', 8000)))
    expect(await firstOf(newer)).toEqual(Buffer.from(audioOf('v-0000', 8000)))
  })

  test('is put together of one version, also where the file changes while its parts are fetched', async () => {
    await using at = await place({ [path]: large })
    const { hub, output } = at
    const source = await at.open()
    await mkdir(output)
    const context = { workFolder: output, isPartial: true, onDownload: () => undefined }
    const open = () => source.parts[0]?.open(context)
    const before = await open()
    expect(newer).toHaveLength(large.length)
    hub.replace(path, newer)
    const error = await caught(Promise.resolve(before?.recordings.at(-1)?.read()))
    expect(error).toMatchObject({ code: 'IMPORT_REFUSED', message: expect.stringContaining('has changed') })
    // The same again, as the hint says.
    const after = await open()
    expect(Buffer.from((await after?.recordings.at(-1)?.read()) ?? [])).toEqual(
      Buffer.from(audioOf('v-0999', 8000)),
    )
  })

  test('ends an import at once where it changes before its texts are read, and is not called damaged', async () => {
    await using at = await place({ [path]: large })
    const { hub, output } = at
    const source = await at.open()
    // Its end is what is read first, in two parts.
    const onDownload = (): void => {
      if (hub.transfers.length === 2) hub.replace(path, newer)
    }
    const options = { ...all, limit: 5, skipUnusable: true, output }
    expect(await caught(importCorpus(source, { ...options, onDownload }))).toMatchObject({
      code: 'IMPORT_REFUSED',
      hint: 'type the same command again: it begins with what the server has now',
    })
    expect(await importCorpus(source, options)).toMatchObject({ utteranceCount: 5, skipped: [] })
  })

  test('is fetched with the rest where the server sends no parts', async () => {
    await using at = await place({ [path]: large }, { knowsRanges: false })
    const options = { ...all, limit: 5, output: at.output }
    expect(await importCorpus(await at.open(), options)).toMatchObject({ utteranceCount: 5 })
  })
})

describe('a data set of the hub', () => {
  test('is read with its speakers, its language and its licence', async () => {
    await using at = await place({ [path]: shard(idsOf('u', 5), 'UNCOMPRESSED') })
    const { manifestPath } = await at.import()
    const { utterances } = await verifyCorpus(await readCorpus(manifestPath, { env: {} }))
    expect(utterances.map(({ id, text, speaker, language }) => [id, text, speaker, language])).toEqual(
      idsOf('u', 5).map((id, index) => [id, `words of ${id}`, String(index % 7), 'en']),
    )
    const record = JSON.parse(await readFile(join(at.output, 'import.json'), 'utf8'))
    expect(record.licence).toBe('cc-by-4.0')
  })

  test('keeps the ids of its rows, also those with a dot', async () => {
    const ids = ['talk-1.25-2.5', 'talk-1.25-2.75']
    await using at = await place({ [path]: shard(ids, 'UNCOMPRESSED') })
    const { manifestPath } = await at.import()
    const { utterances } = await readCorpus(manifestPath, { env: {} })
    expect(utterances.map(({ id }) => id)).toEqual(ids)
  })

  // Three rows, written by the Rust library `parquet` (npm parquet-wasm 0.8.0) from Arrow columns.
  test.each(['uncompressed', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4'])(
    'is read where the library of Arrow has written it with %s pages',
    async (codec) => {
      await using at = await place({ [path]: await fixture(`arrow-${codec}`) })
      const { manifestPath } = await at.import()
      const { utterances } = await verifyCorpus(await readCorpus(manifestPath, { env: {} }))
      expect(utterances.map(({ id, text, speaker }) => [id, text, speaker])).toEqual([
        ['a', 'words of a', '7'],
        ['b', 'words of b', '8'],
        ['c', 'words of c', '9'],
      ])
      expect(utterances.map(({ durationSeconds }) => durationSeconds)).toEqual([0.02, 0.02, 0.02])
    },
  )

  // Written by the Python library `datasets` 5.2.0: a column of the feature Audio with bytes, with a path that lacks its ending,
  // and a struct of samples; the folder names the split.
  test('is read by the features that datasets keeps, from the split of a folder', async () => {
    await using at = await place({
      'data/test/part-0.parquet': await fixture('datasets-audio'),
      'data/test/clips/c.wav': audioOf('c', 320),
      'data/train/part-0.parquet': new Uint8Array(1),
    })
    const imported = async (options: Partial<SourceOptions>) => {
      const { manifestPath } = await importFrom('hf:voices/speech', at.output, all, {
        env: at.hub.env,
        ...options,
      })
      const { utterances } = await readCorpus(manifestPath, { env: {} })
      return utterances.map(({ text, durationSeconds }) => [text, durationSeconds])
    }
    expect((await caught(imported({}))).problems).toEqual([
      {
        where: 'data/test/part-0.parquet',
        what: 'has no column for the text; it has utt, speech, picture_text',
        hint: 'name it with --text-column',
      },
    ])
    expect(await imported({ textColumn: 'picture_text' })).toEqual(
      ['one', 'two', 'three'].map((text) => [text, 0.02]),
    )
  })

  test('is read where its rows hold samples and their rate, also from a folder on this machine', async () => {
    await using folder = await temporaryFolder()
    const table = await folder.write('source/test.parquet', await fixture('datasets-arrays'))
    for (const named of [table, join(folder.path, 'source')]) {
      const output = join(folder.path, named === table ? 'one' : 'two')
      const { manifestPath } = await importFrom(named, output, all)
      const { utterances } = await readCorpus(manifestPath, { env: {} })
      expect(utterances.map(({ id, text, durationSeconds }) => [id, text, durationSeconds])).toEqual([
        ['a', 'one', 0.01],
        ['b', 'two', 0.02],
      ])
      const written = await readFile(utterances.at(1)?.audioPath ?? '')
      expect(written.readInt16LE(44)).toBe(-8192)
    }
  })

  test('takes a token with a line end, and an empty one as none, and keeps it from the server that stores the files', async () => {
    const gate = { token: 'hf_secret', isAccepted: true }
    await using at = await place({ [path]: shard(idsOf('u', 2), 'SNAPPY') }, { gate })
    const env = { ...at.hub.env, HF_TOKEN: '', HUGGING_FACE_HUB_TOKEN: 'hf_secret\n' }
    expect(await at.import(env)).toMatchObject({ utteranceCount: 2 })
    expect([at.hub.transfers.length, at.hub.leakedTokens]).toEqual([1, 0])
  })

  test('is listed and fetched by way of the proxy that the environment names', async () => {
    await using at = await place({ [path]: shard(idsOf('u', 2), 'SNAPPY') })
    const { port: hubPort } = new URL(at.hub.env['HF_ENDPOINT'] ?? '')
    await using proxy = await startOddServer(({ url, headers }, response) => {
      const { hostname, port, pathname, search } = new URL(url)
      const address = { host: '127.0.0.1', port: hostname === 'hub.invalid' ? hubPort : port }
      get({ ...address, path: pathname + search, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
    })
    const http_proxy = `http://127.0.0.1:${proxy.port}`
    const env = { HF_ENDPOINT: 'http://hub.invalid', http_proxy }
    expect(await at.import(env)).toMatchObject({ utteranceCount: 2 })
  })

  test('is asked again after the time that a busy hub names, and goes on where a transfer broke', async () => {
    await using at = await place({ [path]: shard(idsOf('u', 300), 'SNAPPY') })
    at.hub.fail({ status: 429, retryAfter: '1' }, { breakAfterBytes: 50_000 })
    const startedAtMs = performance.now()
    expect(await at.import()).toMatchObject({ utteranceCount: 300 })
    expect(performance.now() - startedAtMs).toBeGreaterThan(1000)
    expect(at.hub.transfers.map(({ from }) => from)).toEqual([0, 50_000])
  })

  test('lists its configs and splits where the choice is open', async () => {
    const files = Object.fromEntries(
      ['de/dev-00000-of-00001', 'de/train-00000-of-00001', 'en/test/0000'].map((name) => [
        `${name}.parquet`,
        new Uint8Array(1),
      ]),
    )
    await using hub = await startHub({ files })
    const fails = async (source: string) =>
      (await caught(openImportSource(source, asked, { env: hub.env }))).hint
    expect(await fails('hf:voices/speech')).toBe('write hf:voices/speech/<config>; it has de, en')
    expect(await fails('hf:voices/speech/de')).toBe('name one with --split; it has dev, train')
    expect(await fails('hf:voices/none')).toContain('<owner>/<name>')
  })

  test('names the files in no folder as those of the default config, and takes that name', async () => {
    const files = Object.fromEntries(
      ['data/test-00000-of-00001', 'extra/test-00000-of-00001'].map((name) => [
        `${name}.parquet`,
        new Uint8Array(1),
      ]),
    )
    await using hub = await startHub({ files })
    const open = (config: string) => openImportSource(`hf:voices/speech/${config}`, asked, { env: hub.env })
    expect((await caught(open('none'))).hint).toContain('it has default, extra')
    expect((await open('default')).parts.map(({ key }) => key)).toEqual(['data/test-00000-of-00001.parquet'])
  })

  test('is known to the hub, and has no Parquet files where the hub has made none either', async () => {
    await using hub = await startHub({ files: { 'README.md': new Uint8Array(3) }, isConverted: false })
    const error = await caught(openImportSource('hf:voices/speech', asked, { env: hub.env }))
    expect(error.message).toBe('the data set voices/speech has no Parquet files')
  })

  test('cannot be listed where the network answers with a page in place of the hub', async () => {
    await using server = await startOddServer((_seen, response) => void response.end('<html>Log in'))
    const env = { HF_ENDPOINT: `http://127.0.0.1:${server.port}` }
    const error = await caught(openImportSource('hf:voices/speech', asked, { env }))
    expect([error.code, error.message]).toEqual([
      'IMPORT_UNREACHABLE',
      expect.stringMatching(/^the list of files of voices\/speech cannot be fetched: .* is not valid JSON$/),
    ])
  })
})
