import { chmod, cp, readdir, readFile, realpath, symlink, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Header } from 'tar'
import { describe, expect, test } from 'vitest'
import { readCorpus } from '#corpus/read-corpus'
import { catalogue } from '../../src/corpus/import/catalogue.ts'
import { bomb, shard, startHub } from '../corpus/import/local-hub.ts'
import { said, sound, wav, writeMiniature } from '../corpus/import/miniature.ts'
import { type CliResult, runCli } from './run-cli.ts'
import { workplace } from './workplace.ts'

/** What is printed for a person is wrapped at the width of a terminal. */
const unwrapped = ({ stderr }: CliResult): string => stderr.replaceAll(/\s+/g, ' ')

// All layouts: `tests/corpus/import/layouts.test.ts`.
test.concurrent('the program imports a miniature, and names the command that measures it', async () => {
  await using home = await workplace()
  await writeMiniature('kaldi with segments', join(home.path, 'source'))
  const imported = await home.cli('corpus', 'import', 'source', '--language', 'en', '--output', 'corpus')
  expect(imported.code, imported.stderr).toBe(0)
  expect(imported.stdout).toMatch(/imported: 4 utterances[\s\S]*next: transcribench run --corpus/)
  const { utterances } = await readCorpus(join(home.path, 'corpus'), { env: {} })
  expect(utterances.map(({ id, text }) => [id, text])).toEqual(said.map(({ id, text }) => [id, text]))
  const usual = ['corpus', 'import', 'source', '--language', 'en']
  expect((await home.cli(...usual)).stdout).toMatch(/run --corpus source$/m)
  // A corpus of the working directory comes before one of the same name in the data directory.
  await cp(join(home.path, 'corpus'), join(home.path, 'corpora/source'), { recursive: true })
  expect((await home.cli(...usual)).stdout).toMatch(/run --corpus \/\S+\/source$/m)
})

test('a table beside its recordings needs no import: it is measured as it is, and copied only where that is asked for', async () => {
  await using home = await workplace()
  await home.write('transcripts.csv', 'audio,text\na.wav,a cat sat\n')
  await home.write('a.wav', wav(sound))
  const command = ['corpus', 'import', 'transcripts.csv']
  const refused = await home.cli(...command)
  expect([refused.code, unwrapped(refused)]).toEqual([
    2,
    expect.stringMatching(/without an import.*transcribench run --corpus transcripts\.csv/),
  ])
  const copied = await home.cli(...command, '--language', 'en', '--output', 'copy')
  expect(copied.code, copied.stderr).toBe(0)
  expect((await readCorpus(join(home.path, 'copy'), { env: {} })).utterances).toHaveLength(1)
})

describe('the program imports by name, with size and licence before anything is fetched,', () => {
  // With terms that have to be accepted and with none, with an id and without one.
  test.concurrent.each(catalogue.filter(({ name }) => ['common-voice', 'fleurs'].includes(name)))(
    '$name',
    async ({ name, dataset, config, columns, licence, language, termsAt }) => {
      await using home = await workplace()
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
        expect(unwrapped(refused)).toContain(
          `${termsAt}, then: transcribench corpus import ${name} --accept-`,
        )
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
    },
  )
})

/** A block of 512 bytes in a tar, before the content of a file. */
function tarHeader(fields: ConstructorParameters<typeof Header>[0]): Buffer {
  const block = Buffer.alloc(512)
  new Header({ mode: 0o644, mtime: new Date(0), ...fields }).encode(block)
  return block
}

describe('the program', () => {
  const fromHub = ['corpus', 'import', 'hf:voices/speech', '--output', 'corpus']
  const path = 'data/test-00000-of-00001.parquet'
  const ids = Array.from({ length: 300 }, (_, index) => `u${index}`)

  test.concurrent('keeps what it has where a hub is gone for longer, and goes on from there when it is called again', async () => {
    await using home = await workplace()
    await using hub = await startHub({ files: { [path]: shard(ids, 'SNAPPY') } })
    const options = { cwd: home.path, env: hub.env }
    hub.fail({ breakAfterBytes: 50_000 }, ...Array(4).fill({ status: 503 }))
    const failed = await runCli(fromHub, options)
    expect(failed.code).not.toBe(0)
    expect(unwrapped(failed)).toContain(`${path} cannot be fetched: the server answered 503`)
    expect(unwrapped(failed)).toContain('type the same command again: it goes on where it stopped')
    expect(await readdir(join(home.path, 'corpus'))).toEqual(['.import'])
    const imported = await runCli(fromHub, options)
    expect(imported.code, imported.stderr).toBe(0)
    expect(imported.stdout).toContain('imported: 300 utterances')
    expect(hub.transfers.map(({ from }) => from)).toEqual([0, 50_000])
  })

  test.concurrent('numbers ids that collide, and fetches nothing where the import is complete', async () => {
    await using home = await workplace()
    await using hub = await startHub({ files: { [path]: shard(['a', 'a', 'A', 'b'], 'SNAPPY') } })
    const options = { cwd: home.path, env: hub.env }
    const first = await runCli(fromHub, options)
    expect(first.code, first.stderr).toBe(0)
    expect(first.stdout).toContain('2 ids were in use already and got a number: a, a-2, a-3')
    const { utterances } = await readCorpus(join(home.path, 'corpus'), { env: {} })
    expect(utterances.map(({ id, text }) => [id, text])).toEqual([
      ['a', 'words of a'],
      ['a-2', 'words of a'],
      ['A-3', 'words of A'],
      ['b', 'words of b'],
    ])
    const again = await runCli(fromHub, options)
    expect([again.code, again.stderr]).toEqual([0, ''])
    expect(again.stdout).toMatch(/was imported before: 4 utterances[\s\S]*next: transcribench run --corpus/)
    expect(hub.transfers).toHaveLength(1)
    const other = await runCli([...fromHub, '--limit', '1'], options)
    expect([other.code, unwrapped(other)]).toEqual([
      2,
      expect.stringContaining('holds another corpus already'),
    ])
    expect(other.stderr).not.toContain('to fetch')
  })

  test.concurrent('shows in its help what is known of sizes', async () => {
    const help = await runCli(['corpus', 'import', '--help'], { cwd: import.meta.dirname })
    expect(help.stdout).toMatch(/librispeech --split test-clean: 346\.7 MB/)
  })
})

describe('the program refuses', () => {
  test.concurrent('a tar with paths and links that lead out of its folder and with a file that fills the memory, all at once', async () => {
    await using home = await workplace()
    const names = ['../../escaped.wav', '/tmp/escaped.wav', 'link.wav', 'long.wav']
    const rows = names.map((name) => JSON.stringify({ audio_filepath: name, text: 'yes', duration: 1 }))
    await home.write('deep/source/tarred_audio_manifest.json', rows.join('\n'))
    const content = wav(sound)
    const padded = Buffer.alloc(Math.ceil(content.length / 512) * 512)
    padded.set(content)
    const outside = names
      .slice(0, 2)
      .flatMap((path) => [tarHeader({ path, size: content.length, type: 'File' }), padded])
    const link = tarHeader({ path: 'link.wav', size: 0, type: 'SymbolicLink', linkpath: '/etc/hostname' })
    const long = tarHeader({ path: 'long.wav', size: 3e9, type: 'File' })
    const blocks = Buffer.concat([...outside, link, long])
    const tar = await home.write('deep/source/audio_0.tar', blocks)
    // Without content on the disk.
    await truncate(tar, blocks.length + Math.ceil(3e9 / 512) * 512)
    const before = await readdir(home.path, { recursive: true })
    const refused = await home.cli('corpus', 'import', 'deep/source', '--output', 'deep/corpus')
    expect(refused.code).toBe(2)
    for (const problem of [
      '../../escaped.wav in audio_0.tar leaves the folder of the archive',
      '/tmp/escaped.wav in audio_0.tar leaves the folder of the archive',
      'link.wav in audio_0.tar is a link, and no link is followed',
      'long.wav in audio_0.tar has 3,000,000,000 bytes, and 2,147,483,647 are the most',
    ]) {
      expect(unwrapped(refused)).toContain(problem)
    }
    const after = await readdir(home.path, { recursive: true })
    expect(after.filter((path) => !before.includes(path) && path.endsWith('.wav'))).toEqual([])
  })

  test.concurrent('what is wrong with tables and paths of a source, all at once, and imports none of it', async () => {
    await using home = await workplace()
    await writeMiniature('kaldi without segments', join(home.path, 'source'))
    await symlink('/etc/hostname', join(home.path, 'source/wavs/link.wav'))
    await home.write('source/text', 'a said\nb said\nc said\nd said\ne said\n')
    const rows = ['b wavs/none.wav', 'c sox x.wav -t wav - |', 'd ../../etc/passwd', 'e wavs/link.wav']
    await home.write('source/wav.scp', `${rows.join('\n')}\n`)
    const refused = await home.cli('corpus', 'import', 'source', '--output', 'corpus')
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

  test.concurrent('every pipe of a wav.scp but those of known programs that only read one file and write sound', async () => {
    await using home = await workplace()
    await home.write('source/a.wav', wav(sound))
    // In place of SoX: it writes the file that it is given, and what it was asked.
    await home.write('bin/sox', `#!/bin/sh\necho "$@" >> "${home.path}/asked"\nexec cat "$1"\n`)
    await chmod(join(home.path, 'bin/sox'), 0o755)
    const refused = [
      ['b', 'sox a.wav -t wav - ; touch ../escaped |', 'it has what only a shell understands'],
      ['c', 'sox $(touch escaped) -t wav - |', 'it has what only a shell understands'],
      ['d', 'sox "|touch escaped" -t wav - |', 'sox reads |touch escaped, which is no audio file'],
      ['e', 'sox a.wav escaped.wav |', 'sox has escaped.wav'],
      ['f', 'touch escaped |', 'touch is none of sox, ffmpeg and sph2pipe'],
      ['g', 'ffmpeg -i a.wav -af amovie=x.wav -f wav - |', 'ffmpeg has -af'],
      ['h', 'ffmpeg -i a.wav -f wav -y escaped.wav |', 'ffmpeg has escaped.wav'],
      ['i', 'sox a.wav -t wav - spectrogram -o escaped |', 'sox has spectrogram'],
      ['j', 'sox list.m3u -t wav - |', 'sox reads list.m3u, which is no audio file'],
      ['k', 'sox a.wav -t wav - | tee escaped |', 'tee is none of sox, ffmpeg and sph2pipe'],
    ] as const
    const allowed = 'a /usr/bin/sox a.wav -r 16000 -t wav - remix 1 |\n'
    const table = allowed + refused.map(([id, pipe]) => `${id} ${pipe}\n`).join('')
    await home.write('source/wav.scp', table)
    await home.write('source/text', table.replaceAll(/ .*/g, ' said'))
    const options = { cwd: home.path, env: { PATH: `${home.path}/bin:${process.env['PATH']}` } }
    const command = ['corpus', 'import', 'source', '--output', 'corpus', '--json']
    const problemsIn = async (args: readonly string[]): Promise<readonly string[]> =>
      JSON.parse((await runCli(args, options)).stdout).error.problems.map(
        ({ what }: { what: string }) => what,
      )
    expect(await problemsIn(command)).toHaveLength(11)
    expect(await problemsIn([...command, '--allow-commands'])).toEqual(
      refused.map(
        ([id, pipe, reason]) =>
          `the recording ${id} is the output of programs that are not run, because ${reason}: ${pipe}`,
      ),
    )
    expect(await readdir(home.path)).not.toContain('asked')
    await home.write('source/wav.scp', allowed)
    await home.write('source/text', 'a said\n')
    const imported = await runCli([...command, '--allow-commands'], options)
    expect(imported.code, imported.stderr).toBe(0)
    expect(await home.read('asked')).toBe(
      `${await realpath(home.path)}/source/a.wav -r 16000 -t wav - remix 1\n`,
    )
    expect(await readFile(join(home.path, 'corpus/audio/a.wav'))).toEqual(Buffer.from(wav(sound)))
    const all = await readdir(home.path, { recursive: true })
    expect(all.filter((name) => name.includes('escaped'))).toEqual([])
  })

  test.concurrent('a manifest that fills the memory', async () => {
    await using home = await workplace()
    await writeMiniature('lhotse', join(home.path, 'source'))
    const member = gzipSync(Buffer.alloc(2 ** 26, ' '))
    await home.write('source/mini_supervisions_test.jsonl.gz', Buffer.concat(Array(17).fill(member)))
    const refused = await home.cli('corpus', 'import', 'source', '--output', 'corpus')
    expect([refused.code, unwrapped(refused)]).toEqual([
      2,
      expect.stringContaining('unpacks to more than 1 GiB'),
    ])
  })

  test.concurrent('a tar that is cut short, keeps what lies before, and goes on without the rest where asked', async () => {
    await using home = await workplace()
    await writeMiniature('nemo tarred', join(home.path, 'source'))
    await truncate(join(home.path, 'source/audio_1.tar'), 60_000)
    const command = ['corpus', 'import', 'source', '--language', 'en', '--output', 'corpus']
    const refused = await home.cli(...command)
    expect([refused.code, unwrapped(refused)]).toEqual([
      2,
      expect.stringMatching(/audio_1\.tar is cut short or damaged at byte \d+/),
    ])
    const imported = await home.cli(...command, '--skip-unusable')
    expect(imported.code, imported.stderr).toBe(0)
    expect(imported.stdout).toContain('import.json lists them')
  })

  test.concurrent.each([
    ['a Parquet file that fills the memory', { files: { 'test.parquet': bomb() } }, /larger than/],
    [
      'a file with another hash than the hub lists',
      { files: { 'test.parquet': shard(['a'], 'GZIP') }, wrongHashes: ['test.parquet'] },
      /is not the file that the hub lists, which has \d+ bytes and the sha256 \w+/,
    ],
    [
      'terms that the account has not accepted, without its token in the message',
      { files: { 'test.parquet': shard(['a'], 'GZIP') }, gate: { token: 'hf_secret', isAccepted: false } },
      /^(?!.*hf_secret).*\/datasets\/voices\/speech/,
    ],
  ])('what it is given, and shows the reason for %s', async (_, options, message) => {
    await using home = await workplace()
    await using hub = await startHub(options)
    const refused = await runCli(['corpus', 'import', 'hf:voices/speech', '--output', 'corpus'], {
      cwd: home.path,
      env: hub.env,
    })
    expect([refused.code, unwrapped(refused)]).toEqual([2, expect.stringMatching(message)])
  })

  test.concurrent('a data set that wants a token, and names the variable for it', async () => {
    await using home = await workplace()
    await using hub = await startHub({ files: {}, gate: { token: 'hf_secret', isAccepted: true } })
    const refused = await runCli(['corpus', 'import', 'hf:voices/speech'], {
      cwd: home.path,
      env: { HF_ENDPOINT: hub.env['HF_ENDPOINT'] ?? '' },
    })
    expect([refused.code, unwrapped(refused)]).toEqual([2, expect.stringContaining('export HF_TOKEN=')])
  })
})
