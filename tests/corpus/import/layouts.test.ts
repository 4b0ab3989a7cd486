import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCorpus } from '#corpus/read-corpus'
import { verifyCorpus } from '#corpus/verify-corpus'
import { wav as pcmWav } from '../../audio/zoo/pcm-files.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { importFrom, rowsIn } from './import-from.ts'
import { miniatures, said, soundOf, speaker, wav, writeMiniature } from './miniature.ts'

/** A subtitle, and a text next to a recording, name no speaker. */
const withoutSpeaker = Object.keys(miniatures).filter((name) =>
  /^folder|ljspeech|lists of fairseq/.test(name),
)

/** As Praat and programs of Windows write it, with a byte order mark: one order of bytes for every other layout. */
const utf16 = (text: string, index: number): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return index % 2 === 0 ? bytes : bytes.swap16()
}
const layouts = Object.keys(miniatures).flatMap((name, index) => [
  { name, encoding: 'UTF-8', encoded: (text: string) => Buffer.from(text) },
  { name, encoding: 'UTF-16', encoded: (text: string) => utf16(text, index) },
])

describe('a miniature of each layout', () => {
  test.each(layouts)(
    'becomes the same corpus, byte for byte: $name in $encoding',
    async ({ name, encoded }) => {
      await using folder = await temporaryFolder()
      const [source, output] = [join(folder.path, 'source'), join(folder.path, 'corpus')]
      await writeMiniature(name, source, encoded)
      await importFrom(source, output, { language: 'en', request: { source } })

      const expected = said.map(({ id, text, startSeconds, endSeconds }) => ({
        id,
        audio: `audio/${id}.wav`,
        text,
        durationSeconds: endSeconds - startSeconds,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        language: 'en',
        ...(withoutSpeaker.includes(name) ? {} : { speaker }),
        ...(name.includes('TextGrid')
          ? { times: [{ text, startSeconds: 0, endSeconds: endSeconds - startSeconds }] }
          : {}),
      }))
      expect(await rowsIn(output)).toEqual(expected)
      for (const each of said) {
        const written = await readFile(join(output, `audio/${each.id}.wav`))
        expect(written.equals(wav(soundOf(each))), each.id).toBe(true)
      }
      expect((await readdir(output)).sort()).toEqual(['audio', 'import.json', 'manifest.jsonl'])
      const verified = await verifyCorpus(await readCorpus(join(output, 'manifest.jsonl'), { env: {} }))
      expect(verified.utterances).toHaveLength(said.length)
    },
  )
})

test('the only channel that an stm names is cut from that channel of a call, or from a recording of it alone', async () => {
  const [first] = said
  if (first === undefined) throw new Error('the miniature is empty')
  const spoken = soundOf(first)
  const other = spoken.map((_, index) => (index % 2 === 0 ? 900 : -900))
  const interleave = (left: Int16Array, right: Int16Array) =>
    Int16Array.from(
      { length: 2 * spoken.length },
      (_, index) => (index % 2 === 0 ? left : right)[index >> 1] ?? 0,
    )
  const stereo = (left: Int16Array, right: Int16Array) =>
    pcmWav(interleave(left, right), { channels: 2, block: 4, rate: 16_000 })
  const table = (file: string, channel: string) =>
    `${file} ${channel} anna 0 ${first.endSeconds - first.startSeconds} ${first.text}\n`
  await using folder = await temporaryFolder({
    'source/b.wav': stereo(other, spoken),
    'source/b.stm': table('b', 'B'),
    'source/one.wav': stereo(spoken, other),
    'source/one.stm': table('one', '1'),
    'source/mono.wav': wav(spoken),
    'source/mono.stm': table('mono', 'B'),
  })
  const output = join(folder.path, 'corpus')
  await importFrom(join(folder.path, 'source'), output, { language: 'en' })
  const rows = await rowsIn(output)
  expect(rows).toHaveLength(3)
  for (const { id, audio } of rows)
    expect((await readFile(join(output, audio))).equals(wav(spoken)), id).toBe(true)
})
