import { symlink, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readCorpus } from '#corpus'
import { catalogue } from '../../src/corpus/import/hub/catalogue.ts'
import { bomb, shard, startHub } from '../corpus/import/local-hub.ts'
import { miniatures, said, writeMiniature } from '../corpus/import/miniature.ts'
import { temporaryFolder } from '../corpus/temporary-folder.ts'
import { type CliResult, runCli } from './run-cli.ts'

/** What is printed for a person is wrapped at the width of a terminal. */
const unwrapped = ({ stderr }: CliResult): string => stderr.replaceAll(/\s+/g, ' ')

describe('the program imports a miniature', () => {
  test.each(Object.keys(miniatures))('that is laid out as %s', async (name) => {
    await using home = await temporaryFolder()
    await writeMiniature(name, join(home.path, 'source'))
    const imported = await runCli(['corpus', 'import', 'source', '--language', 'en', '--output', 'corpus'], {
      cwd: home.path,
    })
    expect(imported.code, imported.stderr).toBe(0)
    expect(imported.stdout).toMatch(/imported: 4 utterances[\s\S]*next: transcribench run --corpus/)
    const { utterances } = await readCorpus(join(home.path, 'corpus'), { env: {} })
    expect(utterances.map(({ id, text }) => [id, text])).toEqual(said.map(({ id, text }) => [id, text]))
  })
})

describe('the program imports by name, with size and licence before anything is fetched,', () => {
  test.each(catalogue)('$name', async ({ name, dataset, config, columns, licence, language, termsAt }) => {
    await using home = await temporaryFolder()
    const { id, text, speaker } = columns
    const named = {
      ...(id === undefined ? {} : { id }),
      ...(text === undefined ? {} : { text }),
      ...(speaker === undefined ? {} : { speaker }),
    }
    const files = {
      [`${config}/test-00000-of-00002.parquet`]: shard(['a', 'b'], 'SNAPPY', 100_000, named),
      [`${config}/test-00001-of-00002.parquet`]: shard(['c'], 'ZSTD', 100_000, named),
    }
    await using hub = await startHub({ dataset, files })
    const options = { cwd: home.path, env: { ...hub.env, XDG_DATA_HOME: home.path } }
    // The hub: LibriSpeech has archives for splits of other names.
    const command = ['corpus', 'import', name, '--split', 'test', '--language', language ?? 'en']
    if (termsAt !== null) {
      const refused = await runCli(command, options)
      expect([refused.code, hub.transfers.length]).toEqual([2, 0])
      expect(unwrapped(refused)).toContain(`${termsAt}, then: transcribench corpus import ${name} --accept-`)
    }
    const imported = await runCli([...command, '--accept-licence'], options)
    expect(imported.code, imported.stderr).toBe(0)
    expect(imported.stdout).toContain('imported: 3 utterances')
    expect(imported.stderr).toContain(`licence: ${licence}`)
    const megabytes = Object.values(files).reduce((sum, { length }) => sum + length, 0) / 1e6
    expect(imported.stderr).toContain(`to fetch: ${megabytes.toFixed(1)} MB`)
    const transferCount = hub.transfers.length
    const again = await runCli([...command, '--accept-licence'], options)
    expect(again.stdout).toContain('was imported before: 3 utterances')
    expect(again.stderr).not.toContain('to fetch')
    expect(hub.transfers.length).toBe(transferCount)
    const { utterances } = await readCorpus(`${name}-test`, { env: options.env, cwd: home.path })
    expect(utterances.map((each) => each.text)).toEqual(['words of a', 'words of b', 'words of c'])
  })
})

describe('the program refuses', () => {
  test('what is wrong with tables and paths of a source, all at once, and imports none of it', async () => {
    await using home = await temporaryFolder()
    await writeMiniature('kaldi without segments', join(home.path, 'source'))
    await symlink('/etc/hostname', join(home.path, 'source/wavs/link.wav'))
    await home.write('source/text', 'a said\nb said\nc said\nd said\ne said\n')
    const rows = ['b wavs/none.wav', 'c sox x.wav -t wav - |', 'd ../../etc/passwd', 'e wavs/link.wav']
    await home.write('source/wav.scp', `${rows.join('\n')}\n`)
    const refused = await runCli(['corpus', 'import', 'source', '--output', 'corpus'], { cwd: home.path })
    expect(refused.code).toBe(2)
    for (const problem of [
      'text:1 the utterance a has no line in wav.scp',
      'wav.scp:1 wavs/none.wav is missing',
      'wav.scp:2 the recording c is the output of a program, and none is run',
      'wav.scp:3 names ../../etc/passwd, which is outside of the folder of the source',
      'wav.scp:4 names wavs/link.wav, which is outside of the folder of the source',
    ]) {
      expect(unwrapped(refused)).toContain(problem)
    }
  })

  test('a manifest that fills the memory', { timeout: 60_000 }, async () => {
    await using home = await temporaryFolder()
    await writeMiniature('lhotse', join(home.path, 'source'))
    const member = gzipSync(Buffer.alloc(2 ** 26, ' '))
    await home.write('source/mini_supervisions_test.jsonl.gz', Buffer.concat(Array(17).fill(member)))
    const refused = await runCli(['corpus', 'import', 'source', '--output', 'corpus'], { cwd: home.path })
    expect([refused.code, unwrapped(refused)]).toEqual([
      2,
      expect.stringContaining('unpacks to more than 1 GiB'),
    ])
  })

  test('a tar that is cut short, keeps what lies before, and goes on without the rest where asked', async () => {
    await using home = await temporaryFolder()
    await writeMiniature('nemo tarred', join(home.path, 'source'))
    await truncate(join(home.path, 'source/audio_1.tar'), 60_000)
    const command = ['corpus', 'import', 'source', '--language', 'en', '--output', 'corpus']
    const refused = await runCli(command, { cwd: home.path })
    expect([refused.code, unwrapped(refused)]).toEqual([
      2,
      expect.stringMatching(/audio_1\.tar is cut short or damaged at byte \d+/),
    ])
    const imported = await runCli([...command, '--skip-unusable'], { cwd: home.path })
    expect(imported.code, imported.stderr).toBe(0)
    expect(imported.stdout).toContain('import.json lists them')
  })

  test.each([
    ['a Parquet file that fills the memory', { files: { 'test.parquet': bomb() } }, /larger than/],
    [
      'a file with another hash than the hub lists',
      { files: { 'test.parquet': shard(['a'], 'GZIP') }, wrongHashes: ['test.parquet'] },
      /its sha256 is not/,
    ],
    [
      'terms that the account has not accepted, without its token in the message',
      { files: { 'test.parquet': shard(['a'], 'GZIP') }, gate: { token: 'hf_secret', isAccepted: false } },
      /^(?!.*hf_secret).*\/datasets\/voices\/speech/,
    ],
  ])('what it is given, and shows the reason for %s', async (_, options, message) => {
    await using home = await temporaryFolder()
    await using hub = await startHub(options)
    const refused = await runCli(['corpus', 'import', 'hf:voices/speech', '--output', 'corpus'], {
      cwd: home.path,
      env: hub.env,
    })
    expect([refused.code, unwrapped(refused)]).toEqual([2, expect.stringMatching(message)])
  })

  test('a data set that wants a token, and names the variable for it', async () => {
    await using home = await temporaryFolder()
    await using hub = await startHub({ files: {}, gate: { token: 'hf_secret', isAccepted: true } })
    const refused = await runCli(['corpus', 'import', 'hf:voices/speech'], {
      cwd: home.path,
      env: { HF_ENDPOINT: hub.env['HF_ENDPOINT'] ?? '' },
    })
    expect([refused.code, unwrapped(refused)]).toEqual([2, expect.stringContaining('export HF_TOKEN=')])
  })
})
