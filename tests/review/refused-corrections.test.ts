import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { reviewCorpus } from '#results/review'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { temporaryFolder } from '../temporary-folder.ts'

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
  const { origin, hash } = new URL(reviewing.address)
  const headers = { origin, 'content-type': 'application/json' }
  const post = (path: string, body: object, more: object = {}): Promise<Response> =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    })
  const session = await post('/session', { token: new URLSearchParams(hash.slice(1)).get('token') })
  const { key } = (await session.json()) as { readonly key: string }
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  const correct = async (utteranceId: string, before: string, after: string): Promise<string> => {
    const body = { utteranceId, before, after, seen: 'blind' }
    const answer = await post('/corrections', body, { cookie, 'x-transcribench-tab': key })
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
