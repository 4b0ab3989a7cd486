import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { correctionsFileName, readReviews } from '../../src/corpus/corrections.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const draft = { id: 'u1', text: 'send it on sunday', isDraft: true }

/** The draft after corrections of its text, each from one text to another. */
async function reviewed(...corrections: readonly (readonly [before: string, after: string])[]): Promise<{
  readonly text: string
  readonly isDraft: boolean
}> {
  await using folder = await temporaryFolder()
  const lines = corrections.map(([before, after]) =>
    JSON.stringify({
      utteranceId: 'u1',
      before,
      after,
      when: '2026-11-23T08:00:00.000Z',
      by: 'a',
      seen: 'seen',
    }),
  )
  await writeFile(join(folder.path, correctionsFileName), `${lines.join('\n')}\n`)
  const review = await readReviews(join(folder.path, 'manifest.jsonl'))
  const { text, isDraft } = review(draft as Parameters<typeof review>[0])
  return { text, isDraft }
}

describe('the draft of a dictated recording', () => {
  test('is a reference where it was confirmed as it is', async () => {
    expect(await reviewed([draft.text, draft.text])).toEqual({ text: draft.text, isDraft: false })
  })

  test('has the last of several corrections', async () => {
    const [first, last] = ['send it on saturday', 'send it on Saturday']
    expect(await reviewed([draft.text, first], [first, last])).toEqual({ text: last, isDraft: false })
  })

  test('is a draft again where its correction was undone or emptied', async () => {
    const corrected = 'send it on saturday'
    for (const end of [draft.text, '']) {
      expect(await reviewed([draft.text, corrected], [corrected, end])).toEqual(
        expect.objectContaining({ isDraft: true, text: draft.text }),
      )
    }
  })

  test('is not changed by a correction of another text', async () => {
    expect(await reviewed(['some other text', 'send it'])).toMatchObject({ isDraft: true })
  })
})
