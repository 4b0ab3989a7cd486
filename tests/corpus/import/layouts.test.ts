import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCorpus } from '#corpus/read-corpus'
import { verifyCorpus } from '#corpus/verify-corpus'
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
