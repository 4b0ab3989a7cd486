import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Platform, platforms } from '#contract/enums'
import { type Mode, modeTextLimits, windowsModeFields } from '#contract/modes'
import { type Answer, startTestService, type TestService } from './running-service.ts'

/** A Mode with the fields that every build takes. */
const complete = {
  name: 'Letters',
  preset: 'mail',
  language: 'de',
  model: 'echo',
  punctuation: true,
  capitalization: false,
  profanityFilter: true,
} as const

const unknownId = '11111111-1111-1111-1111-111111111111'

let running: TestService | undefined

/** One service for all tests of a profile in a row. */
async function startAs(profile: Platform): Promise<void> {
  if (running?.service.profile === profile) return
  await running?.[Symbol.asyncDispose]()
  running = await startTestService({ profile })
}
const send: TestService['send'] = (method, path, sending) => {
  if (running === undefined) throw new Error('no service was started')
  return running.send(method, path, sending)
}
const create = (body: unknown) => send('POST', '/modes', { body })
const patch = (id: string, body: unknown) => send('PATCH', `/modes/${id}`, { body })
const list = async () => (await send('GET', '/modes')).json.modes ?? []

async function created(body: unknown): Promise<Mode> {
  const answer = await create(body)
  if (answer.json.mode === undefined) throw new Error(answer.text)
  return answer.json.mode
}

function expectRefused(answer: Answer, code = 'INVALID_REQUEST', status = 200): void {
  expect(answer).toMatchObject({ status, json: { ok: false, error: { code } } })
}

/** Leaves the Mode that was there from the first start, as the default one. */
async function removeCreated(): Promise<void> {
  if (running === undefined) return
  const modes = await list()
  await patch(modes.find((m) => m.isSystemProvided)?.id ?? '', { isDefault: true })
  for (const { id } of modes.filter((m) => !m.isSystemProvided)) await send('DELETE', `/modes/${id}`)
}

// The tests share a service, and each finds it as it was at its first start. What every server owes its clients (values, nulls,
// names, order, ids) is in the conformance suite, which runs against each build.
afterEach(removeCreated)
afterAll(() => running?.[Symbol.asyncDispose]())

describe.each(platforms)('Modes on %s', (profile) => {
  beforeEach(() => startAs(profile))

  test('there is one from the first start, provided by the system, and the default one', async () => {
    expect(await list()).toMatchObject([
      { isDefault: true, isSystemProvided: true, model: 'echo', sortOrder: 0 },
    ])
  })

  test('an id is found in upper case as well, and one of any other form is refused', async () => {
    const made = await created(complete)
    expect((await send('GET', `/modes/${made.id.toUpperCase()}`)).json.mode).toEqual(made)
    for (const id of ['', `${unknownId}0`, '%00', 'x'.repeat(5_000)]) {
      expectRefused(await send('DELETE', `/modes/${id}`))
    }
  })

  test('a name is unique without regard to case, as a language knows it', async () => {
    const made = await created({ ...complete, name: 'Straße' })
    for (const name of ['Straße', 'STRASSE', ' straße\t']) {
      expectRefused(await create({ ...complete, name }), 'MODE_NAME_TAKEN')
    }
    expect((await patch(made.id, { name: 'STRASSE' })).json.mode).toMatchObject({ name: 'STRASSE' })
  })

  test('every bad field is named at once, and nothing of the change is kept', async () => {
    const made = await created(complete)
    const refused = await patch(made.id, { preset: 'poem', sortOrder: 1e10, name: '  ', language: '' })
    expectRefused(refused)
    for (const field of ['preset', 'sortOrder', 'name', 'language']) {
      expect(refused.json.error?.message).toContain(field)
    }
    for (const body of ['[]', 'null', '"text"', '5']) expectRefused(await create(body))
    expect((await send('GET', `/modes/${made.id}`)).json.mode).toEqual(made)
  })

  test('the default one cannot be given up, only passed on, and falls to the first where it is deleted', async () => {
    const [first] = await list()
    const second = await created({ ...complete, name: 'Second', isDefault: true })
    expectRefused(await patch(second.id, { isDefault: false }))
    expect((await patch(first?.id ?? '', { isDefault: false })).json['ok']).toBe(true)
    await send('DELETE', `/modes/${second.id}`)
    expect(await list()).toMatchObject([{ id: first?.id, isDefault: true }])
  })

  test('a new one comes last', async () => {
    await created({ ...complete, sortOrder: 5 })
    expect((await created({ ...complete, name: 'Last' })).sortOrder).toBe(6)
  })

  test('a text that is too long is refused in every field that has a limit', async () => {
    const made = await created(complete)
    const fields = Object.entries(modeTextLimits).filter(
      ([field]) => profile !== 'macos' || !(windowsModeFields as readonly string[]).includes(field),
    )
    expect(fields.length).toBeGreaterThan(10)
    for (const [field, limit = 0] of fields) {
      const write = (text: string): unknown => (field === 'customVocabulary' ? [text] : text)
      expect((await patch(made.id, { [field]: write('x'.repeat(limit)) })).json.mode).toBeDefined()
      const answer = await patch(made.id, { [field]: write('x'.repeat(limit + 1)) })
      expectRefused(answer)
      expect(answer.json.error?.message).toContain(`${field}: has`)
    }
  })
})

test('a text that is too long is refused before it is normalised', async () => {
  await startAs('macos')
  const answer = await create({ ...complete, name: '\u200b'.repeat(300_000) })
  // Normalised, it would be an empty name.
  expect(answer.json.error?.message).toBe('Invalid Mode: name: has at most 1000 characters.')
})

test('a vocabulary has at most 10,000 words', async () => {
  await startAs('linux')
  const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `word${index}`)
  const made = await created({ name: 'Many', customVocabulary: words(10_000) })
  expectRefused(await patch(made.id, { customVocabulary: words(10_001) }))
})

test('a required field that is null is missing on macos', async () => {
  await startAs('macos')
  const answer = await create({ ...complete, language: null, customInstructions: null })
  expectRefused(answer)
  expect(answer.json.error?.message).toContain('Missing in the Mode: language.')
})

test('the fields of Windows are kept on Linux as well, and not cleared by null', async () => {
  await startAs('linux')
  const windowsOnly = { localEngine: 'engine_b', customVocabulary: ['Kubernetes'], providerType: 'local' }
  const made = await created({ ...complete, ...windowsOnly })
  expect(made).toMatchObject(windowsOnly)
  const nulls = await patch(made.id, { customVocabulary: null, localEngine: null })
  expect(nulls.json.mode).toMatchObject(windowsOnly)
  expectRefused(await patch(made.id, { customVocabulary: 'not an array' }))
})

// What is trimmed in plain cases, and normalised, is in the conformance suite.
describe('names on macOS', () => {
  beforeEach(() => startAs('macos'))

  test.each([
    ['what is invisible inside a name stays', 'a\u200db', 'a\u200db'],
    ['an emoji keeps its variation selector', 'I \u2764\ufe0f', 'I \u2764\ufe0f'],
    [
      'a flag keeps its tags',
      'Go \u{1f3f4}\u{e0067}\u{e0062}\u{e007f}',
      'Go \u{1f3f4}\u{e0067}\u{e0062}\u{e007f}',
    ],
    ['selectors behind an emoji that has one are trimmed', 'A \u2764\ufe0f\ufe0e\u{e0100}', 'A \u2764\ufe0f'],
    ['tags without a flag are trimmed', '\u{e0067}Notes\u{e0067}\u{e007f}', 'Notes'],
    ['tags of a flag without their end are trimmed', 'Go \u{1f3f4}\u{e0067}', 'Go \u{1f3f4}'],
  ])('%s', async (_what, name, stored) => {
    expect((await created({ ...complete, name })).name).toBe(stored)
    expectRefused(await create({ ...complete, name: stored.toUpperCase() }), 'MODE_NAME_TAKEN')
  })
})

test.each(['windows', 'linux'] as const)('names on %s lose white space as .NET knows it', async (profile) => {
  await startAs(profile)
  const blanks = '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000'
  expect((await created({ ...complete, name: `${blanks}A${blanks}` })).name).toBe('A')
  for (const kept of ['\ufeff\u200b\u180eB\u001f\ufeff', 'Cafe\u0301', 'Café']) {
    expect((await created({ ...complete, name: kept })).name).toBe(kept)
  }
})
