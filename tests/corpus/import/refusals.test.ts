import { appendFile, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { ImportOptions } from '#corpus/import/import-corpus'
import { readCorpus } from '#corpus/read-corpus'
import { BenchError, seededRandom } from '#prelude'
import { nameRegister } from '../../../src/corpus/import/utterance-files.ts'
import { type TemporaryFolder, temporaryFolder } from '../../temporary-folder.ts'
import { caught, json, lines } from '../caught.ts'
import { importFrom, rowsIn } from './import-from.ts'
import { recordingId, said, sound, soundOf, sphere, wav, writeMiniature } from './miniature.ts'

const importInto = (
  folder: TemporaryFolder,
  options: Partial<ImportOptions> = {},
  {
    source = join(folder.path, 'source'),
    ...asked
  }: Parameters<typeof importFrom>[3] & {
    readonly source?: string
  } = {},
) => importFrom(source, join(folder.path, 'corpus'), { language: 'en', ...options }, asked)

/** A folder with a data set in its folder `source`. */
async function miniature(name: string): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  await writeMiniature(name, join(folder.path, 'source'))
  return folder
}

/** A folder with these files in its folder `source`, and a whole recording under each further name. */
function sourceOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  ...sounds: readonly string[]
): Promise<TemporaryFolder> {
  const all = [...Object.entries(files), ...sounds.map((name) => [name, wav(sound)] as const)]
  return temporaryFolder(Object.fromEntries(all.map(([name, content]) => [`source/${name}`, content])))
}

/** Cuts a recording of the miniature short. @returns what repairs it */
async function damage(folder: TemporaryFolder, index: number) {
  const each = said[index] as (typeof said)[number]
  const path = join(folder.path, `source/${each.id}.wav`)
  await truncate(path, 1_000)
  return { id: each.id, path, repair: () => writeFile(path, wav(soundOf(each))) }
}

const rowsOf = (folder: TemporaryFolder) => rowsIn(join(folder.path, 'corpus'))

const idsOf = async (folder: TemporaryFolder) => (await rowsOf(folder)).map(({ id }) => id)

const recordOf = async (folder: TemporaryFolder) =>
  JSON.parse(await readFile(join(folder.path, 'corpus/import.json'), 'utf8'))

test('keeps what is imported where a recording is damaged, and goes on after a correction', async () => {
  await using folder = await miniature('folder with txt')
  const { id, repair } = await damage(folder, 1)
  const error = await caught(importInto(folder))
  expect(error.message).toContain('1 problem; 3 utterances are imported and kept')
  expect(lines(error)[0]).toContain(`${id}.wav  ${id}: this WAV file is cut short`)

  await repair()
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 4 })
  expect(await idsOf(folder)).toEqual(said.map((each) => each.id))
})

test('imports every recording once where a damaged one is removed from the source', async () => {
  await using folder = await miniature('folder with txt')
  const { path } = await damage(folder, 1)
  expect((await caught(importInto(folder))).message).toContain('3 utterances are imported and kept')

  await rm(path)
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 3, renamedCount: 0 })
  expect(await idsOf(folder)).toEqual(said.flatMap(({ id }, index) => (index === 1 ? [] : [id])))
})

test('refuses to go on where the source does not have an imported recording any more', async () => {
  await using folder = await miniature('folder with txt')
  await damage(folder, 1)
  await caught(importInto(folder))
  await rm(join(folder.path, `source/${said[2]?.id}.wav`))
  expect((await caught(importInto(folder))).message).toMatch(
    new RegExp(`holds the recording ${said[2]?.id}, which the source does not have any more$`),
  )
})

test('refuses a second import into the same folder while the first one goes on', async () => {
  await using folder = await miniature('folder with txt')
  const both = await Promise.allSettled([importInto(folder), importInto(folder)])
  const refused = both.flatMap((each) => (each.status === 'rejected' ? [each.reason.message] : []))
  expect(refused).toEqual([`another process writes into ${join(folder.path, 'corpus')}`])
  expect(await idsOf(folder)).toEqual(said.map(({ id }) => id))
})

test('goes on after a process that was killed and had the number of this one, as in a container', async () => {
  await using folder = await miniature('folder with txt')
  await folder.write('corpus/.import/pid', String(process.ppid))
  expect((await caught(importInto(folder))).message).toContain('another process writes into')
  await folder.write('corpus/.import/pid', String(process.pid))
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 4 })
})

test('counts the problems of a manifest that is wrong in every line, however long it is', async () => {
  await using folder = await sourceOf({ 'manifest.jsonl': '{"audio_filepath": "a.wav"}\n'.repeat(200_000) })
  expect((await caught(importInto(folder))).message).toContain('200001 problems')
})

test('takes the hyphen that NeMo writes in place of a text for none', async () => {
  const rows = [
    { audio_filepath: 'a.wav', offset: 0, duration: null, label: 'infer', text: '-' },
    { audio_filepath: 'b.wav', offset: 0, duration: null, label: 'infer', text: 'yes' },
  ]
  await using folder = await sourceOf({ 'manifest.json': json(...rows) }, 'a.wav', 'b.wav')
  const { problems } = await caught(importInto(folder))
  expect(problems.map(({ what }) => what)).toEqual(['has no text: NeMo writes "-" for none'])
  expect(await importInto(folder, { skipUnusable: true })).toMatchObject({ utteranceCount: 1 })
})

test('goes without damaged recordings where that is asked for, and records them', async () => {
  await using folder = await miniature('folder with txt')
  await damage(folder, 1)
  const { utteranceCount, skipped } = await importInto(folder, { skipUnusable: true })
  expect([utteranceCount, skipped.length]).toEqual([3, 1])
  expect((await recordOf(folder)).skipped).toEqual(skipped)
})

test('goes on after an interruption where a text holds a line separator of Unicode', async () => {
  const text = 'one line\u2028the next\u2029and a paragraph'
  const rows = ['a', 'b'].map((id) => ({ audio_filepath: `${id}.wav`, text, duration: 1 }))
  const files = { 'manifest.json': json(...rows), 'b.wav': wav(sound).subarray(0, 1_000) }
  await using folder = await sourceOf(files, 'a.wav')
  expect((await caught(importInto(folder))).message).toContain('1 utterance is imported and kept')

  await folder.write('source/b.wav', wav(sound))
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 2 })
  const corpus = await readCorpus(join(folder.path, 'corpus/manifest.jsonl'), { env: {} })
  expect(corpus.utterances.map((utterance) => utterance.text)).toEqual([text, text])
})

test('goes on after the power failed and left zeros in the state', async () => {
  await using folder = await miniature('folder with txt')
  const { repair } = await damage(folder, 3)
  await caught(importInto(folder))
  await appendFile(join(folder.path, 'corpus/.import/state.jsonl'), '\0\0\0\n\0\0')

  await repair()
  await importInto(folder)
  expect(await idsOf(folder)).toEqual(said.map(({ id }) => id))
})

test('records what is unusable once, however many lines that are, also after an interruption', async () => {
  const row = json({ audio_filepath: 'a.wav', text: 'yes', duration: 1 })
  const manifest = `${'{"audio_filepath": "a.wav"}\n'.repeat(150_000)}${row}`
  await using folder = await sourceOf({ 'manifest.json': manifest }, 'a.wav')
  const stopped = new Error('stopped')
  const interrupted = importInto(folder, { skipUnusable: true, signal: AbortSignal.abort(stopped) })
  await expect(interrupted).rejects.toBe(stopped)
  const { utteranceCount, skipped } = await importInto(folder, { skipUnusable: true })
  expect([utteranceCount, skipped.length]).toEqual([1, 150_000])
})

test('imports the other segments of a recording where one of them cannot be cut', async () => {
  const files = {
    'wav.scp': 'rec rec.wav\n',
    segments: 'late rec 100 101\nnothing rec 2 2.000001\nfirst rec 0 1\nrest rec 3 -1\n',
    text: 'late a\nnothing b\nfirst c\nrest d\n',
  }
  await using folder = await sourceOf(files, 'rec.wav')
  const { utteranceCount, skipped } = await importInto(folder, { skipUnusable: true })
  expect(utteranceCount).toBe(2)
  expect(skipped.map(({ what }) => what)).toEqual([
    'rec: the segment at 2.00 s holds no samples',
    expect.stringMatching(/^rec: a segment reaches to 101\.00 s, and the recording lasts 10\.38 s/),
  ])
})

test('imports the other cues of a recording where some begin behind its end', async () => {
  const cue = (number: number, times: string) => `${number}\n${times}\ncue ${number}\n\n`
  const cues = cue(1, '00:00:00,500 --> 00:00:02,000') + cue(2, '00:01:40,000 --> 00:01:41,000')
  await using folder = await sourceOf({ 'talk.srt': cues }, 'talk.wav')
  const { utteranceCount, skipped } = await importInto(folder, { skipUnusable: true })
  expect(utteranceCount).toBe(1)
  expect(skipped.map(({ what }) => what)).toEqual([
    'talk: a segment reaches to 100.00 s, and the recording lasts 10.38 s',
  ])
})

test('refuses captions that roll up until it is said what becomes of the words that they repeat', async () => {
  const cue = (times: string, ...shown: string[]) => `${times}\n${shown.join('\n')}\n\n`
  const cues =
    cue('00:00:00,000 --> 00:00:02,000', 'the cat sat') +
    cue('00:00:02,000 --> 00:00:04,000', 'the cat sat', 'on the mat') +
    cue('00:00:04,000 --> 00:00:06,000', 'on the mat', 'and slept')
  await using folder = await sourceOf({ 'talk.srt': cues }, 'talk.wav')
  const error = await caught(importInto(folder))
  expect(lines(error)).toEqual([
    'talk.srt  rolls up: most cues repeat the end of the one before, and a reference would hold those words twice ' +
      '(take them out: --captions merge; or keep them, where they are said twice: --captions keep)',
  ])
  const notes: string[] = []
  const onNote = (note: string): void => void notes.push(note)
  const { manifestPath } = await importInto(folder, {}, { captions: 'merge', onNote })
  expect((await readFile(manifestPath, 'utf8')).match(/"text":"[^"]*"/g)).toEqual([
    '"text":"the cat sat"',
    '"text":"on the mat and slept"',
  ])
  expect(notes).toEqual([
    'talk.srt: 2 of 3 cues repeat the end of the one before, as captions that roll up do: 6 repeated words taken out',
  ])
})

test('ends with the utterance that reaches so much audio, also within a recording', async () => {
  await using folder = await miniature('kaldi with segments')
  expect(await importInto(folder, { audioSeconds: 3 })).toMatchObject({
    utteranceCount: 2,
    audioSeconds: 3.75,
  })
})

test('numbers ids that collide, also those that differ by case alone', async () => {
  const paths = ['x/a.wav', 'y/a.wav', 'y/A.wav']
  const rows = paths.map((path) => ({ audio_filepath: path, text: 'yes', duration: 1 }))
  await using folder = await sourceOf({ 'manifest.json': json(...rows) }, ...paths)
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 3, renamedCount: 2 })
  expect(await idsOf(folder)).toEqual(['a', 'a-2', 'A-3'])
})

test('numbers recordings of one id in time that grows with their number', () => {
  const names = nameRegister(['talk'])
  for (let count = 1; count < 20_000; count += 1) names.claim('talk')
  expect(names.claim('talk')).toEqual({ id: 'talk-20001', audio: 'audio/talk-20001.wav' })
})

test('reports an offset of a NeMo manifest that is no number of seconds, and imports no whole recording for it', async () => {
  const offsets = ['2.5', -1, null]
  const rows = offsets.map((offset) => ({ audio_filepath: 'a.wav', text: 'yes', offset, duration: 1 }))
  await using folder = await sourceOf({ 'manifest.json': json(...rows) }, 'a.wav')
  expect(lines(await caught(importInto(folder)))).toEqual([
    'manifest.json:1  has an "offset" that is no number of seconds',
    'manifest.json:2  has an "offset" that is no number of seconds',
  ])
})

test('reports a recording whose cues have no words, and takes its next text where there is one', async () => {
  const blank = JSON.stringify({ text: '', segments: [{ start: 0, end: 1, text: ' ' }] })
  await using folder = await sourceOf({ 'a.json': blank, 'b.json': blank, 'b.txt': '' }, 'a.wav', 'b.wav')
  expect(lines(await caught(importInto(folder)))).toEqual([
    'a.wav  has no text that can be read: a.json has no words with their times (write what is said into a.txt, or move the recording away)',
  ])
  await folder.write('source/a.txt', 'yes')
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 2 })
})

test('reads subtitles in a file of text, without their times', async () => {
  const cue = '1\n00:00:00,000 --> 00:00:01,000\nyes\n'
  await using folder = await sourceOf({ 'a.txt': cue, 'b.txt': `WEBVTT\n\n${cue}` }, 'a.wav', 'b.wav')
  await importInto(folder)
  expect((await rowsOf(folder)).map(({ text }) => text)).toEqual(['yes', 'yes'])
})

test('makes no reference of a text that is not UTF-8, also where unusable recordings are skipped', async () => {
  const cue = '1\n00:00:00,000 --> 00:00:01,000\nyes\nwe met at the caf\xe9\n'
  const texts = { 'a.txt': Buffer.from('caf\xe9', 'latin1'), 'b.srt': Buffer.from(cue, 'latin1') }
  await using folder = await sourceOf({ ...texts, 'c.txt': 'no' }, 'a.wav', 'b.wav', 'c.wav')
  const { skipped } = await importInto(folder, { skipUnusable: true })
  expect(await idsOf(folder)).toEqual(['c'])
  expect(skipped.map(({ where, what }) => `${where} ${what}`)).toEqual([
    'a.txt:1 is not UTF-8; save the file as UTF-8',
    'a.wav has no text that can be read: a.txt cannot be read',
    'b.srt:4 is not UTF-8; save the file as UTF-8',
    'b.wav has no text that can be read: b.srt cannot be read',
  ])
})

test('leaves out what a data set marks as not scored, also in a table', async () => {
  const table = 'audio,text\na.wav,yes\nb.wav,ignore_time_segment_in_scoring\n'
  await using folder = await sourceOf({ 'one.csv': table }, 'a.wav', 'b.wav')
  await importInto(folder)
  expect(await idsOf(folder)).toEqual(['a'])
})

test('reads the only subtitles of a recording that are named by their language', async () => {
  const cue = '1\n00:00:00,000 --> 00:00:01,000\nyes\n'
  await using folder = await sourceOf({ 'a.en-GB.srt': cue, 'b.txt': 'no' }, 'a.wav', 'b.wav')
  await importInto(folder)
  expect((await rowsOf(folder)).map(({ id, text }) => [id, text])).toEqual([
    ['a-0000', 'yes'],
    ['b', 'no'],
  ])
  await folder.write('source/a.de.srt', cue)
  await folder.write('source/b.abc.txt', 'of another recording')
  await folder.write('source/b.abc.wav', wav(sound))
  await rm(join(folder.path, 'source/b.txt'))
  await rm(join(folder.path, 'corpus'), { recursive: true })
  expect((await caught(importInto(folder))).problems.map(({ where, what }) => `${where} ${what}`)).toEqual([
    'a.wav has no text of the same name',
    'b.wav has no text of the same name',
  ])
})

test('reports two recordings that share one text, and imports both where each has its own', async () => {
  await using folder = await sourceOf({ 'talk.txt': 'yes' }, 'talk.wav', 'talk.flac')
  expect((await caught(importInto(folder))).problems).toEqual([
    {
      where: 'talk.wav',
      what: 'has the text of talk.flac, talk.txt',
      hint: expect.stringContaining('name the text of this one talk.wav.txt'),
    },
  ])
  await rm(join(folder.path, 'source/talk.txt'))
  await folder.write('source/talk.wav.txt', 'yes')
  await folder.write('source/talk.flac.txt', 'no')
  await importInto(folder)
  expect((await rowsOf(folder)).map(({ text }) => text)).toEqual(['no', 'yes'])
})

test('takes the hidden companions of files from macOS for no recordings and no texts', async () => {
  const hidden = Buffer.from([0, 5, 22, 7, 0, 2, 0, 0])
  const companions = { '._a.wav': hidden, '._a.txt': hidden, '__MACOSX/._a.wav': hidden }
  await using folder = await sourceOf({ ...companions, 'a.txt': 'yes' }, 'a.wav')
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 1 })
})

test('reads a NeMo manifest next to an archive that does not hold its recordings', async () => {
  const rows = json({ audio_filepath: 'a.wav', text: 'yes' })
  await using folder = await sourceOf({ 'manifest.json': rows, 'download.tar': Buffer.alloc(1024) }, 'a.wav')
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 1 })
})

test('reads a file that is called manifest and has columns of another name as a table', async () => {
  const rows = json({ audio_file: 'a.wav', text: 'yes' })
  await using folder = await sourceOf({ 'manifest.jsonl': rows }, 'a.wav')
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 1 })
})

test('reads a table with the empty columns that spreadsheets append', async () => {
  await using folder = await sourceOf({ 'one.csv': 'audio,text,,\na.wav,yes,,\n' }, 'a.wav')
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 1 })
})

test('reads the characters of ELAN that are written as a reference', async () => {
  const slots = '<TIME_SLOT TIME_SLOT_ID="1" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="2" TIME_VALUE="1000"/>'
  const annotation =
    '<ALIGNABLE_ANNOTATION TIME_SLOT_REF1="1" TIME_SLOT_REF2="2"><ANNOTATION_VALUE>Q&amp;A at&#10;the caf&#xE9;</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION>'
  const tier = `<TIER TIER_ID="a"><ANNOTATION>${annotation}</ANNOTATION></TIER>`
  const eaf = `<ANNOTATION_DOCUMENT><TIME_ORDER>${slots}</TIME_ORDER>${tier}</ANNOTATION_DOCUMENT>`
  await using folder = await sourceOf({ 'a.eaf': eaf }, 'a.wav')
  await importInto(folder)
  expect((await rowsOf(folder)).map(({ text }) => text)).toEqual(['Q&A at the café'])
})

test('names a recording of Kaldi that is in an archive, and does not call it missing', async () => {
  await using folder = await sourceOf({ 'wav.scp': 'a data/wav.ark:15\n', text: 'a yes\n' })
  expect(lines(await caught(importInto(folder)))).toEqual([
    'wav.scp:1  the recording a is in an archive of Kaldi, which is not read: data/wav.ark:15 (write files with wav-copy, and their paths into wav.scp)',
  ])
})

test('never writes outside of the corpus, whatever an id is', async () => {
  const files = { 'wav.scp': '../../../escape rec.wav\n', text: '../../../escape said\n' }
  await using folder = await sourceOf(files, 'rec.wav')
  await importInto(folder)
  const [row] = await rowsOf(folder)
  expect([row.id, dirname(row.audio).split('/').includes('..')]).toEqual(['../../../escape', false])
})

test('reads a text of Kaldi whole, also with separators of Unicode and any number of spaces in it', async () => {
  const texts = { a: 'said\u2028more', b: `one${' '.repeat(200_000)}two` }
  const lined = (what: (id: 'a' | 'b') => string): string => `a ${what('a')}\nb ${what('b')}\n`
  const files = { 'wav.scp': lined(() => 'rec.wav'), text: lined((id) => texts[id]) }
  await using folder = await sourceOf(files, 'rec.wav')
  await importInto(folder)
  expect((await rowsOf(folder)).map(({ text }) => text.replace(/ +/, ' '))).toEqual([texts.a, 'one two'])
})

test('gives ids of any length separate files, whose names every file system takes', async () => {
  const ids = [`${'字'.repeat(90)}-1`, `${'字'.repeat(90)}-2`, `a${'𠀀'.repeat(100)}`, 'b'.repeat(300)]
  const lined = (what: string): string => ids.map((id) => `${id} ${what}\n`).join('')
  await using folder = await sourceOf({ 'wav.scp': lined('rec.wav'), text: lined('said') }, 'rec.wav')
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 4, renamedCount: 0 })
  const rows = await rowsOf(folder)
  expect(rows.map(({ id }) => id)).toEqual(ids)
  const names: string[] = rows.map(({ audio }) => basename(audio))
  expect(new Set(names).size).toBe(4)
  for (const name of names) {
    expect(Buffer.byteLength(name), name).toBeLessThan(255)
    expect(Buffer.from(name).toString()).toBe(name)
  }
})

test('refuses SPHERE files with embedded compression, with the program that converts them', async () => {
  await using folder = await miniature('tedlium')
  await folder.write(`source/sph/${recordingId}.sph`, sphere(sound, 'pcm,embedded-shorten-v2.00'))
  expect(lines(await caught(importInto(folder)))[0]).toContain('convert it with sph2pipe')
})

test('draws the same utterances with the same seed, and others with another', async () => {
  const drawn = async (seed: number) => {
    await using folder = await miniature('folder with txt')
    await importInto(folder, { seed, limit: 2 })
    return await idsOf(folder)
  }
  expect(await drawn(1)).toEqual(await drawn(1))
  expect(new Set((await Promise.all([1, 2, 3, 4].map(drawn))).map(String)).size).toBeGreaterThan(1)
})

test('looks for a relative path below --audio-root, the working directory and the folder of the table', async () => {
  const names = ['root', 'cwd', 'table']
  const files = {
    'wav.scp': names.map((name) => `${name} wavs/${name}.wav\n`).join(''),
    text: names.map((name) => `${name} said\n`).join(''),
  }
  await using folder = await sourceOf(files, 'wavs/table.wav')
  await folder.write('audio/wavs/root.wav', wav(sound))
  await folder.write('recipe/wavs/cwd.wav', wav(sound))
  const cwd = join(folder.path, 'recipe')
  expect(lines(await caught(importInto(folder, {}, { cwd })))).toEqual([
    `wav.scp:1  wavs/root.wav is missing (it was looked for below --audio-root (not given), the working directory (${cwd}) and ${folder.path}/source)`,
  ])
  await importInto(folder, {}, { cwd, audioRoot: join(folder.path, 'audio') })
  expect(await idsOf(folder)).toEqual(names)
})

test('names a path that only its writing distinguishes from a file', async () => {
  const files = {
    'wav.scp': 'a .\\wavs\\a.wav\nb caf\u00e9.wav\nc cafe\u0301s.wav\n',
    text: 'a said\nb said\nc said\n',
  }
  await using folder = await sourceOf(files, 'wavs/a.wav', 'cafe\u0301.wav', 'caf\u00e9s.wav')
  const found = (await caught(importInto(folder))).problems.map(({ what }) => what)
  expect(found).toEqual([
    '.\\wavs\\a.wav is missing as it is written, with backslashes as on Windows; with slashes it is there',
    'caf\u00e9.wav is missing as it is written, with accented letters as one character (NFC); on the disk they are two (NFD)',
    'cafe\u0301s.wav is missing as it is written, with accented letters as two characters (NFD); on the disk they are one (NFC)',
  ])
})

test('takes the language that is named before the usual one of a layout, and a licence from the source alone', async () => {
  for (const name of ['librispeech', 'tedlium', 'ami']) {
    await using folder = await miniature(name)
    await importInto(folder, { language: 'de' })
    expect((await rowsOf(folder)).map(({ language }) => language)).toEqual(['de', 'de', 'de', 'de'])
    expect((await recordOf(folder)).licence).toBeNull()
    await rm(join(folder.path, 'corpus'), { recursive: true })
    await folder.write(
      'source/LICENSE.TXT',
      'See http://creativecommons.org/licenses/by-nc-nd/3.0/ for details.',
    )
    await importInto(folder, { language: null })
    expect((await rowsOf(folder))[0].language).toBe('en')
    expect((await recordOf(folder)).licence).toBe('CC-BY-NC-ND-3.0')
  }
})

test('cuts a recording of a NeMo manifest to the duration that is given, and names the line of each problem', async () => {
  const rows = [
    { audio_filepath: 'a.wav', text: 'one', duration: 1.5, id: null },
    { audio_filepath: 'a.wav', text: '', duration: 1 },
    { audio_filepath: 'a.wav', text: 'late', duration: 99 },
  ]
  await using folder = await sourceOf({ 'manifest.json': json(...rows) }, 'a.wav')
  const { skipped } = await importInto(folder, { skipUnusable: true })
  expect(skipped.map(({ where }) => where)).toEqual(['manifest.json:2', 'manifest.json:3'])
  expect(await rowsOf(folder)).toEqual([expect.objectContaining({ id: 'a', durationSeconds: 1.5 })])
})

test('takes another file that is called manifest for no manifest of NeMo', async () => {
  await using folder = await sourceOf({
    'manifest.json': '{"name": "an extension", "manifest_version": 3}',
    'feature_manifest.jsonl': '{"feature_path": "a.npy", "text": "yes"}\n',
  })
  expect((await caught(importInto(folder))).code).toBe('IMPORT_SOURCE_UNKNOWN')
  await writeMiniature('folder with txt', join(folder.path, 'source'))
  expect(await importInto(folder)).toMatchObject({ utteranceCount: 4 })
})

test('refuses sound of Lhotse that is in no file, by what makes it', async () => {
  const recording = (id: string, transforms: unknown, type = 'file') => ({
    id,
    sources: [{ type, channels: [0], source: 'rec.wav' }],
    transforms,
  })
  const supervisions = [{ id: 's', recording_id: 'r', start: 0, duration: 1, channel: 0, text: 'yes' }]
  const cut = { type: 'MonoCut', start: 0, duration: 1, channel: 0, supervisions }
  const rows = [
    { ...cut, recording: recording('a', [{ name: 'Speed', kwargs: { factor: 1.1 } }]) },
    { ...cut, recording: recording('b', null, 'shar') },
    { ...cut, type: 'MixedCut', tracks: [] },
    { ...cut, recording: recording('d', []), supervisions: [{ ...supervisions[0], start: 0.5 }] },
  ]
  await using folder = await sourceOf({ 'cuts.jsonl': json(...rows) }, 'rec.wav')
  expect((await caught(importInto(folder))).problems.map(({ where, what }) => `${where} ${what}`)).toEqual([
    'cuts.jsonl:3 is a MixedCut, whose sound is in no file',
    'cuts.jsonl:4 has a supervision that is not inside of the cut',
    'cuts.jsonl:1 the audio of a is not its file but what Speed makes of it',
    'cuts.jsonl:2 the audio of b is shar, and only files are read',
  ])
})

test('names what it cannot read by what it is, with the way to what it can', async () => {
  const eaf = (tiers: string) => `<ANNOTATION_DOCUMENT><TIME_ORDER/>${tiers}</ANNOTATION_DOCUMENT>`
  const tier = (name: string) =>
    `<TIER TIER_ID="${name}"><ANNOTATION><ALIGNABLE_ANNOTATION/></ANNOTATION></TIER>`
  const texts = {
    'a.trs': '<Trans/>',
    'b.eaf': eaf(tier('Anna') + tier('Ben')),
    'c.eaf': `<!DOCTYPE x [<!ENTITY a "a">]>${eaf('')}`,
    'd.tsv': 'start\tend\ttext\nsoon\tlater\tyes',
    'e.nlp': 'no header',
  }
  const sounds = Object.keys(texts).map((name) => `${name.slice(0, 1)}.wav`)
  await using folder = await sourceOf(texts, ...sounds)
  const what = (await caught(importInto(folder))).problems.map((problem) => problem.what)
  expect(what).toEqual(
    [
      'a.trs is of Transcriber: open it in ELAN and save it as .eaf',
      'b.eaf has the tiers “Anna”, “Ben”: keep the one with what is said, or give each its own participant',
      'c.eaf has a document type',
      'd.tsv has lines without times in milliseconds',
      'e.nlp has no header of Rev: token|speaker|ts|endTs|punctuation|…',
    ].map((reason) => `has no text that can be read: ${reason}`),
  )
})

test('reads the columns of a table that are named, and one table of several by its name', async () => {
  await using folder = await sourceOf({ 'one.csv': 'audio,text,spoken\na.wav,1,one\n' }, 'a.wav')
  const columns = { textColumn: 'spoken' }
  await importInto(folder, {}, columns)
  expect((await rowsOf(folder)).map(({ text }) => text)).toEqual(['one'])
  await folder.write('source/two.csv', 'audio,text\na.wav,two\n')
  await rm(join(folder.path, 'corpus'), { recursive: true })
  expect((await caught(importInto(folder))).problems[0]?.what).toBe(
    'the folder has several tables: one.csv, two.csv',
  )
  await importInto(folder, {}, { source: join(folder.path, 'source/two.csv') })
  expect((await rowsOf(folder)).map(({ text }) => text)).toEqual(['two'])
})

test('reads random texts and tables without a fault of its own', async () => {
  const random = seededRandom(11)
  const pieces = ['{', '}', '[', ']', '"', ':', ',', '\t', '\n', '|', '<a ', '</TIER>', '<TIER>', '<!--', '0']
  const words = ['1e9', '-->', 'wav', 'text', 'start', 'token', 'ANNOTATION_DOCUMENT', 'TIME_SLOT']
  const all = [...pieces, ...words, '"audio":"a.wav"', '\u2028', 'é']
  const endings = ['.eaf', '.nlp', '.tsv', '.txt', '.json', '.csv', '.TextGrid', '.stm', '.jsonl']
  for (let round = 0; round < 60; round += 1) {
    const text = Array.from({ length: random.below(40) }, () => all[random.below(all.length)]).join('')
    const ending = endings[round % endings.length]
    const files = { [`a${ending}`]: round % 2 === 0 ? text : `audio\ttext\n${text}` }
    await using folder = await sourceOf(files, 'a.wav')
    // A fault of the program would be no BenchError.
    await importInto(folder, { skipUnusable: true }).catch((error) =>
      expect(error).toBeInstanceOf(BenchError),
    )
  }
})

test('says that a folder may not be written, and does not ask for space', async () => {
  await using folder = await miniature('folder with txt')
  // No user may make a folder in a file, not even one whom permissions do not hold.
  await folder.write('file', '')
  const error = await caught(importInto(folder, { output: join(folder.path, 'file/corpus') }))
  expect([error.code, error.hint]).toEqual([
    'IMPORT_NOT_WRITABLE',
    'name a folder where a file is named now; TMPDIR names the one of temporary files',
  ])
})

test('names the form of a data set that it cannot read', async () => {
  await using folder = await sourceOf({ 'train-000000.tar': 'x', 'x.TFRecord': 'x' })
  const { problems } = await caught(importInto(folder))
  expect(problems.slice(0, 2).map(({ where, what }) => `${where} ${what.split(':')[0]}`)).toEqual([
    'train-000000.tar belongs to archives of WebDataset or others',
    'x.TFRecord belongs to records of TensorFlow',
  ])
})
