import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { reviewCorpus } from '#results/review'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { admit } from './admit.ts'

test('a correction counts only for an utterance under review, and for the text that it has now', async () => {
  await using home = await temporaryFolder()
  const manifest = await writeToneCorpus(home.path, { one: 'a cat sat', two: 'a dog barked' })
  const today = (): Date => new Date('2026-06-02T13:57:46Z')
  await using reviewing = await reviewCorpus(manifest, {
    env: {},
    by: 'Ada',
    port: 0,
    today,
    scoreCommand: String,
  })
  const { origin, headers, cookie, key } = await admit(reviewing.address)
  const correct = async (utteranceId: string, before: string, after: string): Promise<string> => {
    const answer = await fetch(`${origin}/corrections`, {
      method: 'POST',
      headers: { ...headers, cookie, 'x-transcribench-tab': key },
      body: JSON.stringify({ utteranceId, before, after, seen: 'blind' }),
    })
    return `${answer.status} ${((await answer.json()) as { readonly message?: string }).message ?? ''}`.trim()
  }

  expect(await correct('nobody', 'a cat sat', 'x')).toBe('409 there is no utterance "nobody" here')
  expect(await correct('one', 'a dog barked', 'x')).toBe('409 "a dog barked" is not the reference of "one"')
  expect(existsSync(reviewing.file)).toBe(false)
  expect(await correct('one', 'a cat sat', 'the cat sat')).toBe('200')
  // The reference itself, or what an earlier correction made of it: both count when the run is scored.
  expect(await correct('one', 'the cat sat', 'the cat sits')).toBe('200')
  expect(await correct('one', 'a cat sat', 'that cat sat')).toBe('200')
  expect(await correct('two', 'the cat sits', 'x')).toMatch(/^409 /)
  expect((await readFile(reviewing.file, 'utf8')).trim().split('\n')).toHaveLength(3)
})
