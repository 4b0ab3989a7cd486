import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMp3Encoder } from 'wasm-media-encoders'
import { encodeWav } from '#audio/sound-stream'
import { type LintReport, lintChecks, lintCorpus } from '#corpus/lint/lint-corpus'
import { seededRandom } from '#prelude'
import { wav } from '../audio/zoo/pcm-files.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { caught } from './caught.ts'
import { speechLike, spokenCorpus } from './spoken-corpus.ts'

const sentences = [
  'the train to the coast leaves in the morning',
  'we had a long talk about the garden',
  'she put the letter on the kitchen table',
  'nobody knew where the old road would end',
  'please bring the blue chairs into the hall',
  'he walked along the river until it was dark',
]

function speakersOf(count: number): (index: number) => string {
  return (index) => `s${index % count}`
}

/** Sound utterances of four speakers, of which none gives a reason to be listed. */
function soundCorpus(): Parameters<typeof spokenCorpus>[1] {
  const speaker = speakersOf(4)
  return sentences.map((text, index) => ({
    id: `ok${index}`,
    text,
    language: 'en',
    speaker: speaker(index),
    seconds: 4 + index * 0.5,
  }))
}

async function mp3(samples: Float32Array): Promise<Uint8Array> {
  const encoder = await createMp3Encoder()
  encoder.configure({ sampleRate: 16_000, channels: 1, bitrate: 32 })
  return Buffer.concat([encoder.encode([samples]).slice(), encoder.finalize().slice()])
}

/** What is found in a corpus of these utterances alone. */
async function lint(utterances: Parameters<typeof spokenCorpus>[1]): Promise<LintReport> {
  await using folder = await temporaryFolder()
  return await lintCorpus(await spokenCorpus(folder.path, utterances), { env: {} })
}

function found({ findings }: LintReport): readonly (readonly [string, string | null])[] {
  return findings.map(({ check, utteranceId }) => [check, utteranceId])
}

test('a sound corpus gives no finding', async () => {
  expect(found(await lint(soundCorpus()))).toEqual([])
})

test('every planted fault is found, each where it was planted, and the files stay as they were', async () => {
  await using folder = await temporaryFolder()
  const planted = [
    { id: 'copy', text: sentences[0] as string },
    { id: 'transcoded', text: 'some other text than the first' },
    { id: 'too-many-words', text: Array(8).fill(sentences[1]).join(' '), seconds: 4.2 },
    { id: 'clipped', text: sentences[2] as string, seconds: 7.3 },
    { id: 'silent', text: sentences[3] as string, seconds: 7.7 },
    { id: 'late-start', text: sentences[4] as string, seconds: 8.1 },
    { id: 'early-end', text: sentences[5] as string, seconds: 8.5 },
    { id: 'long', text: Array(12).fill(sentences[0]).join(' '), seconds: 45 },
    { id: 'german', text: 'wir haben gestern den ganzen tag im garten gearbeitet', seconds: 8.9 },
    { id: 'figures', text: 'the meeting is on the 14 of may', seconds: 9.3 },
    { id: 'capitals', text: 'THE MEETING WAS MOVED TO THE LARGE HALL', seconds: 9.7 },
    { id: 'words', text: 'there were seven apples and nine pears', seconds: 10.1 },
    { id: 'more-words', text: 'it took three weeks and four days', seconds: 10.5 },
    { id: 'upside-down', text: 'one of the two wires was wrong', seconds: 11.3 },
    { id: 'overlapping', text: 'this text is in both of the corpora', seconds: 10.9 },
  ].map((utterance, index) => ({ language: 'en', speaker: speakersOf(4)(index), ...utterance }))
  const sound = soundCorpus()
  const manifest = await spokenCorpus(folder.path, [...sound, ...planted])
  const audioOf = (id: string): string =>
    join(folder.path, `audio/${[...sound, ...planted].findIndex((each) => each.id === id)}.wav`)
  await copyFile(audioOf('ok0'), audioOf('copy'))
  await writeFile(audioOf('transcoded'), await mp3(speechLike(4.5, 2)))
  const rewrite = async (
    id: string,
    seconds: number,
    change: (samples: Float32Array) => Float32Array,
  ): Promise<void> => await writeFile(audioOf(id), encodeWav(change(speechLike(seconds, 99)), 16_000))
  await rewrite('clipped', 7.3, (samples) => samples.map((sample) => Math.max(-0.1, Math.min(0.1, sample))))
  await rewrite('silent', 7.7, (samples) => samples.map((sample) => sample * 1e-4))
  await rewrite('late-start', 8.1, (samples) => samples.subarray(12_000))
  await rewrite('early-end', 8.5, (samples) => samples.subarray(0, 16_000 * 5 + 1334))
  const speech = Int16Array.from(speechLike(11.3, 99), (sample) => Math.round(sample * 20_000))
  const channels = Int16Array.from(
    { length: 2 * speech.length },
    (_, at) => (speech[at >> 1] ?? 0) * (at % 2 === 0 ? 1 : -1),
  )
  await writeFile(audioOf('upside-down'), wav(channels, { channels: 2, block: 4 }))
  const other = await spokenCorpus(join(folder.path, 'other'), [
    { id: 'elsewhere', text: 'This text is in both of the corpora.', seconds: 12 },
  ])
  const before = await readFile(manifest, 'utf8')
  const report = await lintCorpus(manifest, { env: {}, against: other })
  expect(found(report)).toEqual([
    ['duplicate-audio', 'copy'],
    ['duplicate-audio', 'transcoded'],
    ['overlap', 'overlapping'],
    ['words-per-second', 'too-many-words'],
    ['clipping', 'clipped'],
    ['silence', 'silent'],
    ['inverted-channel', 'upside-down'],
    ['cut-start', 'late-start'],
    ['cut-end', 'early-end'],
    ['length', 'long'],
    ['language', 'german'],
    ['numerals', 'figures'],
    ['case', 'capitals'],
  ])
  expect(
    report.findings.every(
      ({ suggestion, audioPath, line }) => suggestion !== '' && audioPath !== null && line !== null,
    ),
  ).toBe(true)
  expect(report.findings[1]?.what).toBe('the same sound as ok1, with another text')
  expect(await readFile(manifest, 'utf8')).toBe(before)
})

test('a recording whose header is right and whose sound is not is named, with what finds all such', async () => {
  await using folder = await temporaryFolder()
  const manifest = await spokenCorpus(folder.path, [{ id: 'a', text: 'one' }])
  const noNumbers = new Uint8Array(new Float32Array(16_000).fill(Number.NaN).buffer)
  await writeFile(join(folder.path, 'audio/0.wav'), wav(noNumbers, { tag: 3, block: 4, bits: 32 }))
  const error = await caught(lintCorpus(manifest, { env: {} }))
  expect(error).toMatchObject({ code: 'CORPUS_UNUSABLE', hint: expect.stringContaining('--verify full') })
  expect(error.message).toMatch(/0\.wav: this WAV file holds samples that are not numbers$/)
})

test('words of the same rhythm are no duplicates, because their waves differ', async () => {
  await using folder = await temporaryFolder()
  const texts = ['twelve', 'ten']
  const manifest = await spokenCorpus(
    folder.path,
    texts.map((text) => ({ id: text, text, language: 'en', seconds: 1 })),
  )
  const rhythm = (at: number): number => Math.max(0, Math.sin(Math.PI * at)) ** 2
  for (const [index, seed] of [5, 6].entries()) {
    const random = seededRandom(seed)
    const samples = Float32Array.from(
      { length: 16_000 },
      (_, at) => 0.4 * rhythm(at / 16_000) * (random.unit() - 0.5),
    )
    await writeFile(join(folder.path, `audio/${index}.wav`), encodeWav(samples, 16_000))
  }
  expect(found(await lintCorpus(manifest, { env: {} }))).toEqual([])
})

test('words of several cases are listed once each, the most frequent first, with a count and examples', async () => {
  const texts = [
    'We met on monday at noon',
    'We met on Monday at noon',
    'They left on Monday in the rain',
    'On friday we go to Paris',
    'In paris we met on friday',
    'It rains in paris on Friday',
    'Noon is when we eat',
    'Every Friday is Friday',
    'WE ARE SHOUTING ON MONDAY',
  ]
  const { findings } = await lint(
    texts.map((text, index) => ({ id: `u${index}`, text, language: 'en', seconds: 3 + index * 0.5 })),
  )
  expect(
    findings.filter(({ check }) => check === 'case').map(({ utteranceId, what }) => [utteranceId, what]),
  ).toEqual([
    ['u8', 'capitals only: 1 reference, as u8; 8 have both cases'],
    ['u5', '“Friday”: 2 references, as u5, u7; 2 have “friday”'],
    ['u0', '“monday”: 1 reference, as u0; 2 have “Monday”'],
    ['u3', '“Paris”: 1 reference, as u3; 2 have “paris”'],
  ])
})

test('words of a long reference with many pauses are compared in time that grows with its length', async () => {
  const long = Array(20_000).fill('Well he said').join(' … ... ')
  const { findings } = await lint([
    { id: 'long', text: long, language: 'en', seconds: 3 },
    { id: 'short', text: 'And then He went', language: 'en', seconds: 4 },
  ])
  expect(findings.filter(({ check }) => check === 'case').map(({ what }) => what)).toEqual([
    '“He”: 1 reference, as short; 1 have “he”',
  ])
})

test('of many words of several cases twenty are listed, and the rest are counted', async () => {
  const names = Array.from({ length: 23 }, (_, index) => `name${String.fromCharCode(97 + index)}`)
  const capital = names.map((name) => name.replace('n', 'N'))
  const { findings } = await lint([
    { id: 'small', text: `We met ${names.join(' ')}`, language: 'en', seconds: 8 },
    { id: 'capital', text: `We met ${capital.join(' ')}`, language: 'en', seconds: 9 },
  ])
  const words = findings.filter(({ check }) => check === 'case')
  expect(words).toHaveLength(21)
  expect(words.at(-1)).toMatchObject({ utteranceId: null, what: '3 more words are written in several ways' })
})

test('one speaker with most of the audio is reported for the corpus', async () => {
  const utterances = soundCorpus().map((each, index) => (index === 5 ? { ...each, seconds: 39 } : each))
  expect(found(await lint(utterances))).toContainEqual(['speaker-imbalance', null])
})

test('every check says when it reports', () => {
  expect(lintChecks.filter(({ meaning }) => meaning.length < 20)).toEqual([])
})

test('every check is in the table of the documentation, which has no other', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/corpora.md'), 'utf8')
  const [, table = ''] = /\n\| check \| reports \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? []
  const rows = table.trimEnd().split('\n')
  const named = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  )
  expect(named).toEqual(lintChecks.map(({ name }) => name))
})

test('an English number word is none in a text of another language', async () => {
  const polish = ['ten pociąg odjeżdża rano', 'ten list leży na stole', 'jest 12 niebieskich krzeseł']
  const dutch = ['ten minste drie stoelen', 'er staan 12 blauwe stoelen']
  const texts = [
    ...polish.map((text) => ['pl', text] as const),
    ...dutch.map((text) => ['nl-NL', text] as const),
  ]
  const utterances = texts.map(([language, text], index) => ({
    id: `u${index}`,
    text,
    language,
    seconds: 3 + index / 2,
  }))
  expect((await lint(utterances)).findings.filter(({ check }) => check === 'numerals')).toEqual([])
})

test('a reference has too many words for the whole recording, silence included', async () => {
  const words = Array.from({ length: 14 }, (_, index) => `word${index}`)
  const of = async (count: number) =>
    found(await lint([{ id: 'a', text: words.slice(0, count).join(' '), language: 'en', seconds: 2 }]))
  expect(await of(12)).not.toContainEqual(['words-per-second', 'a'])
  expect(await of(14)).toContainEqual(['words-per-second', 'a'])
})
