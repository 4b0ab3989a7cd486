import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { mkdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { readCorpus, type TakeOptions } from '#corpus/read-corpus'
import type { Corpus } from '#corpus/utterance'
import { verifyCorpus } from '#corpus/verify-corpus'
import { fingerprint } from '#prelude'
import { wav } from '../audio/zoo/pcm-files.ts'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { caught, lines } from './caught.ts'

const oneSecond = Buffer.from(encodeWav(new Float32Array(16_000).fill(0.1), 16_000))
const flac = readFileSync(new URL('../audio/fixtures/flac-16.flac', import.meta.url))
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** With its utterances as a list, which can be compared. */
function listed(corpus: Corpus) {
  return { ...corpus, utterances: [...corpus.utterances] }
}

async function corpusOf(
  folder: TemporaryFolder,
  utterances: readonly object[],
  { name = 'voices', ...take }: TakeOptions & { readonly name?: string } = {},
): Promise<Corpus> {
  const manifest = utterances.map((utterance) => JSON.stringify({ text: 'x', ...utterance })).join('\n')
  return await readCorpus(await folder.write(`${name}/manifest.jsonl`, manifest), { env: {} }, take)
}

test('a corpus of damaged files alone says what to do next', async () => {
  await using folder = await temporaryFolder({ 'voices/a.wav': oneSecond.subarray(0, 1000) })
  const { hint } = await caught(verifyCorpus(await corpusOf(folder, [{ id: 'a', audio: 'a.wav' }])))
  const manifest = join(folder.path, 'voices/manifest.jsonl')
  expect(hint).toBe(`correct the files, or remove their lines, then: transcribench corpus verify ${manifest}`)
})

test('a verified utterance has its length, hash, size and type from the file', async () => {
  await using folder = await temporaryFolder({ 'voices/audio/a.dat': oneSecond, 'voices/audio/b.flac': flac })
  const corpus = await corpusOf(folder, [
    { id: 'a', audio: 'audio/a.dat', sha256: sha256(oneSecond), durationSeconds: 1.05 },
    { id: 'b', audio: 'audio/b.flac' },
  ])
  const verified = await verifyCorpus(corpus)
  expect([...verified.utterances]).toMatchObject([
    {
      id: 'a',
      durationSeconds: 1,
      sizeBytes: 32_044,
      mimeType: 'audio/wav',
      sha256: sha256(oneSecond),
      line: 1,
    },
    {
      id: 'b',
      durationSeconds: 0.25,
      sizeBytes: flac.length,
      mimeType: 'audio/flac',
      sha256: sha256(flac),
      line: 2,
    },
  ])
  expect(verified.audioSeconds).toBe(1.25)
})

test('recordings longer than what is read at a time are hashed and measured whole', async () => {
  await using folder = await temporaryFolder()
  const noise = Float32Array.from({ length: 1_300_000 }, (_, index) => Math.sin(index * index))
  const long = Buffer.from(encodeWav(noise, 16_000))
  await folder.write('voices/long.wav', long)
  const corpus = await corpusOf(folder, [{ id: 'long', audio: 'long.wav' }])
  expect([...(await verifyCorpus(corpus)).utterances]).toMatchObject([
    { durationSeconds: 81.25, sizeBytes: 2_600_044, sha256: sha256(long) },
  ])
})

test('everything that is wrong with any file is reported at once, and nothing is verified', async () => {
  await using folder = await temporaryFolder()
  const files = {
    'changed.wav': oneSecond,
    'empty.wav': '',
    'text.wav': 'not found',
    'cut.wav': oneSecond.subarray(0, 20_000),
    'long.wav': oneSecond,
    'good.wav': oneSecond,
  }
  for (const [name, content] of Object.entries(files)) await folder.write(`voices/${name}`, content)
  await mkdir(join(folder.path, 'voices/folder.wav'))
  const corpus = await corpusOf(folder, [
    { id: 'v-missing', audio: 'missing.wav' },
    { id: 'v-changed', audio: 'changed.wav', sha256: '0123456789abcdef'.repeat(4) },
    { id: 'v-empty', audio: 'empty.wav' },
    { id: 'v-text', audio: 'text.wav' },
    { id: 'v-cut', audio: 'cut.wav', sha256: sha256(oneSecond) },
    { id: 'v-long', audio: 'long.wav', durationSeconds: 1.2 },
    { id: 'v-folder', audio: 'folder.wav' },
    { id: 'v-good', audio: 'good.wav', durationSeconds: 1 },
    { id: 'v-away', audio: '/nowhere/at/all.wav' },
  ])
  const error = await caught(verifyCorpus(corpus))
  expect(error).toMatchObject({ code: 'CORPUS_UNUSABLE', exit: 'badInput' })
  expect(error.message).toBe(`8 of 9 utterances in ${folder.path}/voices cannot be used`)
  const found = sha256(oneSecond).slice(0, 8)
  const cut = sha256(oneSecond.subarray(0, 20_000)).slice(0, 8)
  expect(lines(error)).toEqual([
    'manifest.jsonl:1  v-missing  missing.wav is missing',
    `manifest.jsonl:2  v-changed  changed.wav has changed: expected sha256 01234567…, found ${found}…`,
    'manifest.jsonl:3  v-empty  empty.wav is empty (0 bytes)',
    'manifest.jsonl:4  v-text  text.wav: this is text, not audio',
    `manifest.jsonl:5  v-cut  cut.wav has changed: expected sha256 ${found}…, found ${cut}… (this WAV file is cut short: its header promises 32000 bytes of samples, 19956 are there)`,
    'manifest.jsonl:6  v-long  long.wav lasts 1.00 s, the manifest says 1.20 s',
    'manifest.jsonl:7  v-folder  folder.wav is not a file',
    'manifest.jsonl:9  v-away  /nowhere/at/all.wav is missing',
  ])
  expect(error.hint).toContain('--exclude v-missing,v-changed,v-empty,v-text,v-cut,v-long,v-folder,v-away')
  expect(error.hint).not.toContain('corpus fetch')
})

test('a folder that does not exist is one problem for all of its recordings, and nothing is to be excluded', async () => {
  await using folder = await temporaryFolder({ 'voices/here.wav': oneSecond })
  const ids = Array.from({ length: 436 }, (_, index) => `u${index}`)
  const away = ids.map((id) => ({ id, audio: `clips/${id}.wav` }))
  const all = await caught(verifyCorpus(await corpusOf(folder, away)))
  const missing = `the folder ${folder.path}/voices/clips does not exist`
  expect(lines(all)).toEqual([`manifest.jsonl:1  ${missing}: the audio of 436 utterances would be in it`])
  expect(all.hint).toBe(
    `correct the paths, which start at the folder of the manifest (${folder.path}/voices), or put the recordings there`,
  )
  const some = await caught(
    verifyCorpus(await corpusOf(folder, [{ id: 'here', audio: 'here.wav' }, ...away.slice(0, 2)])),
  )
  expect(lines(some)).toEqual([`manifest.jsonl:2  ${missing}: the audio of 2 utterances would be in it`])
  expect(some.hint).toContain('--exclude u0,u1')
})

test('what is excluded is not opened and not in the result, and the fingerprint is of what is left', async () => {
  await using folder = await temporaryFolder({ 'voices/a.wav': oneSecond })
  const [whole, part] = [
    await corpusOf(
      folder,
      [
        { id: 'a', audio: 'a.wav' },
        { id: 'gone', audio: 'gone.wav' },
      ],
      { exclude: ['gone'] },
    ),
    await corpusOf(folder, [{ id: 'a', audio: 'a.wav' }], { name: 'part' }),
  ]
  await folder.write('part/a.wav', oneSecond)
  const verified = await verifyCorpus(whole)
  expect(verified.utterances.map(({ id }) => id)).toEqual(['a'])
  expect(verified.fingerprint).toBe((await verifyCorpus(part)).fingerprint)
})

test('only the sample is opened, and the result is of it', async () => {
  await using folder = await temporaryFolder()
  const ids = Array.from({ length: 9 }, (_, index) => `u${index}`)
  const corpus = await corpusOf(
    folder,
    ids.map((id) => ({ id, audio: `${id}.wav`, durationSeconds: 1 })),
    { sample: { count: 3, seed: 1 }, exclude: ['u0'] },
  )
  const error = await caught(verifyCorpus(corpus))
  expect(error.message).toMatch(/^3 of 3 utterances in /)
  const drawn = lines(error).flatMap((line) => / {2}(u\d) {2}/.exec(line)?.[1] ?? [])
  for (const id of drawn) await folder.write(`voices/${id}.wav`, oneSecond)
  const verified = await verifyCorpus(corpus)
  expect(verified.utterances.map(({ id }) => id)).toEqual(drawn)
  expect(verified).toMatchObject({ sampledFrom: 8, audioSeconds: 3 })
})

test('a corpus that is no larger than the sample is taken whole, and is no sample', async () => {
  await using folder = await temporaryFolder({ 'voices/a.wav': oneSecond })
  const utterances = [{ id: 'a', audio: 'a.wav' }]
  const [whole, asked] = [
    await verifyCorpus(await corpusOf(folder, utterances)),
    await verifyCorpus(await corpusOf(folder, utterances, { sample: { count: 1, seed: 5 } })),
  ]
  expect(listed(asked)).toEqual(listed(whole))
  expect(whole.sampledFrom).toBeNull()
})

test('where the manifest has no lengths, a sample is balanced by the size of the files', async () => {
  await using folder = await temporaryFolder()
  const utterances = Array.from({ length: 12 }, (_, index) => ({ id: `u${index}`, audio: `u${index}.wav` }))
  for (const [index, { audio }] of utterances.entries()) {
    const seconds = index % 2 === 0 ? 0.1 : 3
    await folder.write(`voices/${audio}`, encodeWav(new Float32Array(16_000 * seconds).fill(0.1), 16_000))
  }
  for (const seed of [1, 2, 3, 4]) {
    const verified = await verifyCorpus(await corpusOf(folder, utterances, { sample: { count: 4, seed } }))
    expect(verified.utterances.filter(({ durationSeconds }) => durationSeconds > 1)).toHaveLength(2)
  }
})

test('excluding an id that is not there is a mistake, not a wish granted', async () => {
  await using folder = await temporaryFolder({ 'voices/meet-0057.wav': oneSecond })
  const utterances = [{ id: 'meet-0057', audio: 'meet-0057.wav' }]
  const error = await caught(corpusOf(folder, utterances, { exclude: ['meet-0058'] }))
  expect(error.code).toBe('CORPUS_UNUSABLE')
  expect(lines(error)).toEqual(['--exclude  there is no utterance "meet-0058" (did you mean "meet-0057"?)'])
  expect(error.hint).toBe(
    `see the ids: transcribench corpus show ${join(folder.path, 'voices/manifest.jsonl')}`,
  )
})

test('a corpus that can be fetched, with nothing there, asks to be fetched', async () => {
  await using folder = await temporaryFolder({ 'voices/source.json': '{}' })
  const error = await caught(verifyCorpus(await corpusOf(folder, [{ id: 'a', audio: 'a.wav' }])))
  const path = join(folder.path, 'voices/manifest.jsonl')
  expect(error).toMatchObject({ code: 'CORPUS_NOT_FETCHED', hint: `transcribench corpus fetch ${path}` })
})

test('a corpus that can be fetched, with something wrong, offers to fetch it again', async () => {
  await using folder = await temporaryFolder({ 'voices/source.json': '{}', 'voices/a.wav': oneSecond })
  const corpus = await corpusOf(folder, [
    { id: 'a', audio: 'a.wav' },
    { id: 'b', audio: 'b.wav' },
  ])
  const error = await caught(verifyCorpus(corpus))
  expect(error.code).toBe('CORPUS_UNUSABLE')
  expect(error.hint).toBe(
    `fetch it again: transcribench corpus fetch ${corpus.manifestPath}; or leave them out, which the run records: transcribench run --corpus ${corpus.manifestPath} --exclude b`,
  )
})

test('utterances to leave out are named as a shell takes them', async () => {
  await using folder = await temporaryFolder({ 'voices/a.wav': oneSecond })
  const corpus = await corpusOf(folder, [
    { id: 'a', audio: 'a.wav' },
    { id: "o'hara 1", audio: 'b.wav' },
    { id: 'c', audio: 'c.wav' },
  ])
  const { hint = '' } = await caught(verifyCorpus(corpus))
  const [, typed = ''] = /--exclude (.+)$/.exec(hint) ?? []
  expect(execFileSync('sh', ['-c', `printf %s ${typed}`], { encoding: 'utf8' })).toBe("o'hara 1,c")
})

test('a thousand files are verified in manifest order, and each is reported when it is checked', async () => {
  await using folder = await temporaryFolder({ 'voices/a.wav': oneSecond })
  const utterances = Array.from({ length: 1000 }, (_, index) => ({ id: `u${index}`, audio: 'a.wav' }))
  const seen: number[] = []
  const verified = await verifyCorpus(await corpusOf(folder, utterances), {
    onProgress: (checkedCount) => seen.push(checkedCount),
  })
  expect(verified.utterances.map(({ id }) => id)).toEqual(utterances.map(({ id }) => id))
  expect(seen).toEqual(utterances.map((_, index) => index + 1))
  expect(verified.audioSeconds).toBe(1000)
})

test.skipIf(process.platform === 'win32')(
  'a pipe, a file of three gigabytes and a codec that is not read are refused at once, with what helps',
  async () => {
    await using folder = await temporaryFolder()
    execFileSync('mkfifo', [await folder.write('voices/pipe.wav', '').then((path) => `${path}.fifo`)])
    const large = await folder.write('voices/large.wav', oneSecond)
    await truncate(large, 2 ** 31)
    const mp3InWav = Buffer.from(oneSecond)
    mp3InWav.writeUInt16LE(0x55, 20)
    const foreign = await folder.write('voices/call one.wav', mp3InWav)
    const corpus = await corpusOf(folder, [
      { id: 'p', audio: 'pipe.wav.fifo' },
      { id: 'l', audio: 'large.wav' },
      { id: 'f', audio: 'call one.wav' },
    ])
    const { problems } = await caught(verifyCorpus(corpus))
    const converted = foreign.replace('one.wav', 'one.pcm.wav')
    expect(problems.map(({ what }) => what)).toEqual([
      'p  pipe.wav.fifo is not a file',
      'l  large.wav has 2,147,483,648 bytes, and 2,147,483,647 are the most',
      `f  call one.wav: this WAV file cannot be read: its codec is MP3; convert it: ffmpeg -i '${foreign}' '${converted}'`,
    ])
  },
)

test('a file is opened once, however many lines name it', async () => {
  await using folder = await temporaryFolder()
  const path = await folder.write('voices/a.flac', flac)
  const corpus = await corpusOf(
    folder,
    Array.from({ length: 40 }, (_, index) => ({ id: `u${index}`, audio: 'a.flac' })),
  )
  // Who opens it a second time finds nothing.
  const verified = await verifyCorpus(corpus, {
    isFull: true,
    onProgress: () => rmSync(path, { force: true }),
  })
  expect(verified.utterances.length).toBe(40)
})

test('two channels that cancel each other are named, by the beginning or by the whole', async () => {
  await using folder = await temporaryFolder()
  const sound = Int16Array.from({ length: 64_000 }, (_, index) => Math.round(9_000 * Math.sin(index / 7)))
  const upsideDown = wav(
    sound.map((value, index) => (index % 2 === 0 ? value : -(sound[index - 1] ?? 0))),
    { channels: 2, block: 4 },
  )
  await folder.write('voices/a.wav', upsideDown)
  await folder.write('voices/b.wav', upsideDown)
  await folder.write('voices/c.wav', wav(sound, { channels: 2, block: 4 }))
  const corpus = await corpusOf(
    folder,
    ['a', 'b', 'c'].map((id) => ({ id, audio: `${id}.wav` })),
  )
  for (const isFull of [false, true]) {
    const { warnings } = await verifyCorpus(corpus, { isFull })
    expect(warnings).toEqual([
      { where: 'manifest.jsonl:1', what: expect.stringMatching(/^a and 1 more {2}one channel is the other/) },
    ])
  }
})

test('an abort ends the verification with the reason given', async () => {
  await using folder = await temporaryFolder({ 'voices/a.wav': oneSecond })
  const utterances = Array.from({ length: 100 }, (_, index) => ({ id: `u${index}`, audio: 'a.wav' }))
  const abort = new AbortController()
  const work = verifyCorpus(await corpusOf(folder, utterances), {
    onProgress: () => abort.abort(new Error('stopped by hand')),
    signal: abort.signal,
  })
  await expect(work).rejects.toThrow('stopped by hand')
})

test('the fingerprint is that of the list of ids, texts and hashes, in any form that they have', async () => {
  await using folder = await temporaryFolder({ 'voices/a.wav': oneSecond })
  const corpus = await corpusOf(folder, [
    { id: 'plain "quoted" \u2028 \u{1f600}', audio: 'a.wav' },
    { id: 'b', audio: 'a.wav', text: ['ten', '10'] },
    { id: 'c', audio: 'a.wav', text: '{ ten / 10 }', choices: true },
  ])
  const { fingerprint: found, utterances } = await verifyCorpus(corpus)
  const named = utterances.map(({ id, text, sha256: hash, alternatives, hasChoices }) => ({
    id,
    text,
    sha256: hash,
    ...(alternatives.length === 0 ? {} : { alternatives }),
    ...(hasChoices ? { hasChoices } : {}),
  }))
  expect(found).toBe(fingerprint(named))
})
