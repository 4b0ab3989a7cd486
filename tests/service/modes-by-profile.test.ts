import { beforeEach, describe, expect, test } from 'vitest'
import { platforms } from '#contract/enums'
import { clearableModeFields, modeTextLimits, windowsModeFields } from '#contract/modes'
import {
  complete,
  create,
  created,
  expectRefused,
  list,
  patch,
  shareService,
  startAs,
} from './mode-service.ts'

shareService()

describe('null in a PATCH', () => {
  const filled = Object.fromEntries(clearableModeFields.map((field) => [field, 'american']))
  const nulls = Object.fromEntries(clearableModeFields.map((field) => [field, null]))

  test.each(['macos', 'linux'] as const)('clears the clearable fields on %s', async (profile) => {
    await startAs(profile)
    const made = await created({ ...complete, ...filled })
    expect(made).toMatchObject(filled)
    expect((await patch(made.id, nulls)).json.mode).toMatchObject(nulls)
  })

  test.each(['windows', 'windows-legacy'] as const)(
    'is as if the field were left out on %s',
    async (profile) => {
      await startAs(profile)
      const made = await created({ ...complete, ...filled })
      expect((await patch(made.id, nulls)).json.mode).toMatchObject(filled)
    },
  )

  const withoutNull = ['name', 'preset', 'punctuation', 'sortOrder']

  test.each(['macos', 'linux'] as const)('is refused for a field that has no null on %s', async (profile) => {
    await startAs(profile)
    const made = await created(complete)
    for (const field of withoutNull) expectRefused(await patch(made.id, { [field]: null }))
  })

  test.each(['windows', 'windows-legacy'] as const)(
    'is as if left out for a field that has no null on %s, too',
    async (profile) => {
      await startAs(profile)
      const { modifiedDate: _, ...made } = await created(complete)
      const nulls = Object.fromEntries(withoutNull.map((field) => [field, null]))
      expect((await patch(made.id, nulls)).json.mode).toMatchObject(made)
    },
  )
})

describe('null in a POST', () => {
  test.each(['windows', 'windows-legacy', 'linux'] as const)(
    'is as if the field were left out on %s',
    async (profile) => {
      await startAs(profile)
      const nulls = {
        preset: null,
        language: null,
        customInstructions: null,
        sortOrder: null,
        customVocabulary: null,
      }
      expect(await created({ name: 'Typed', ...nulls })).toMatchObject({ preset: 'hyper', language: 'en' })
      expectRefused(await create({ name: null }))
    },
  )

  test('leaves a required field missing on macos', async () => {
    await startAs('macos')
    const answer = await create({ ...complete, language: null, customInstructions: null })
    expectRefused(answer)
    expect(answer.json.error?.message).toContain('Missing in the Mode: language.')
  })
})

describe('a text that is too long', () => {
  test.each(platforms)('is refused in every field that has a limit on %s', async (profile) => {
    await startAs(profile)
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

  test('is refused before it is normalised', async () => {
    await startAs('macos')
    const answer = await create({ ...complete, name: '\u200b'.repeat(300_000) })
    // Normalised, it would be an empty name.
    expect(answer.json.error?.message).toBe('Invalid Mode: name: has at most 1000 characters.')
  })

  test('is a vocabulary of more than 10,000 words, too', async () => {
    await startAs('linux')
    const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `word${index}`)
    const made = await created({ name: 'Many', customVocabulary: words(10_000) })
    expectRefused(await patch(made.id, { customVocabulary: words(10_001) }))
  })
})

describe('what only some builds have', () => {
  const windowsOnly = {
    localEngine: 'engine_b',
    localEngineBModel: 'small',
    localPostProcessingModel: 'tiny',
    customVocabulary: ['Kubernetes'],
    providerType: 'local',
  }

  test('macOS passes the five Windows fields over and never shows them', async () => {
    await startAs('macos')
    const made = await created({ ...complete, ...windowsOnly })
    const patched = (await patch(made.id, { customVocabulary: 'not even an array' })).json.mode
    expect(patched).toBeDefined()
    for (const shown of [made, patched ?? {}, ...(await list())]) {
      for (const field of windowsModeFields) expect(shown).not.toHaveProperty(field)
    }
  })

  test.each(['windows', 'windows-legacy', 'linux'] as const)('%s keeps them', async (profile) => {
    await startAs(profile)
    const made = await created({ ...complete, ...windowsOnly })
    expect(made).toMatchObject(windowsOnly)
    expect((await patch(made.id, { customVocabulary: null, localEngine: null })).json.mode).toMatchObject(
      windowsOnly,
    )
    expectRefused(await patch(made.id, { customVocabulary: 'not an array' }))
  })

  test('macOS wants seven fields, each of which is named when it is missing', async () => {
    await startAs('macos')
    for (const field of Object.keys(complete)) {
      const { [field as 'name']: _, ...rest } = complete
      const answer = await create(rest)
      expectRefused(answer)
      expect(answer.json.error?.message).toContain(field)
    }
  })

  test.each(['windows', 'windows-legacy', 'linux'] as const)('%s wants a name only', async (profile) => {
    await startAs(profile)
    expect(await created({ name: 'Bare' })).toMatchObject({
      preset: 'hyper',
      language: 'en',
      model: 'echo',
      punctuation: true,
      capitalization: true,
      profanityFilter: false,
      postProcessingMode: 0,
    })
    expectRefused(await create({ preset: 'mail' }))
  })
})

describe('names on macOS', () => {
  beforeEach(() => startAs('macos'))

  test.each([
    ['composed and decomposed letters are the same', 'Cafe\u0301', 'Café'],
    ['zero-width characters and marks of direction are trimmed', '\u200b\u202eNotes\u200d\ufeff', 'Notes'],
    ['what is invisible inside a name stays', 'a\u200db', 'a\u200db'],
    ['an emoji keeps its variation selector', 'I \u2764\ufe0f', 'I \u2764\ufe0f'],
    [
      'a flag keeps its tags',
      'Go \u{1f3f4}\u{e0067}\u{e0062}\u{e007f}',
      'Go \u{1f3f4}\u{e0067}\u{e0062}\u{e007f}',
    ],
    ['variation selectors are trimmed', '\ufe0fNotes\ufe0f', 'Notes'],
    ['selectors behind an emoji that has one are trimmed', 'A \u2764\ufe0f\ufe0e\u{e0100}', 'A \u2764\ufe0f'],
    ['tags without a flag are trimmed', '\u{e0067}Notes\u{e0067}\u{e007f}', 'Notes'],
    ['tags of a flag without their end are trimmed', 'Go \u{1f3f4}\u{e0067}', 'Go \u{1f3f4}'],
    ['blank Braille patterns are trimmed', '\u2800Notes\u2800', 'Notes'],
  ])('%s', async (_what, name, stored) => {
    expect((await created({ ...complete, name })).name).toBe(stored)
    expectRefused(await create({ ...complete, name: stored.toUpperCase() }), 'MODE_NAME_TAKEN')
  })

  test.each(['\u200b', '\u0301', '\u3164', '\u2800', ' \u200d\u0301 '])(
    'a name in which nothing can be seen is refused: %j',
    async (name) => {
      expectRefused(await create({ ...complete, name }))
    },
  )
})

describe('names elsewhere', () => {
  test.each(['windows', 'linux'] as const)('are only trimmed on %s', async (profile) => {
    await startAs(profile)
    expect((await created({ ...complete, name: ' Cafe\u0301 ' })).name).toBe('Cafe\u0301')
    expect((await created({ ...complete, name: 'Café' })).name).toBe('Café')
  })

  test.each(['windows', 'linux'] as const)('lose white space as .NET knows it on %s', async (profile) => {
    await startAs(profile)
    const blanks = '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000'
    expect((await created({ ...complete, name: `${blanks}A${blanks}` })).name).toBe('A')
    expectRefused(await create({ ...complete, name: blanks }))
    const kept = '\ufeff\u200b\u180eB\u001f\ufeff'
    expect((await created({ ...complete, name: kept })).name).toBe(kept)
  })
})

describe('sortOrder', () => {
  test('is of 16 bits on macOS', async () => {
    await startAs('macos')
    const made = await created({ ...complete, sortOrder: 32_767 })
    for (const sortOrder of [32_768, -32_769]) {
      const refused = await patch(made.id, { sortOrder })
      expectRefused(refused)
      expect(refused.json.error?.message).toContain('from -32768 to 32767')
    }
    expect((await created({ ...complete, name: 'Next' })).sortOrder).toBe(32_767)
  })

  test.each(['windows', 'windows-legacy', 'linux'] as const)('is of 32 bits on %s', async (profile) => {
    await startAs(profile)
    for (const sortOrder of [-2_147_483_648, 32_768, 2_147_483_647]) {
      expect((await created({ ...complete, name: String(sortOrder), sortOrder })).sortOrder).toBe(sortOrder)
    }
    expectRefused(await create({ ...complete, sortOrder: 2_147_483_648 }))
  })
})
