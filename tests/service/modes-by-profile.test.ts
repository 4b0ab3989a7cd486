import { beforeEach, describe, expect, test } from 'vitest'
import { clearableModeFields, platforms, windowsModeFields } from '#contract'
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

  test.each(platforms)('is refused for a field that has no null on %s', async (profile) => {
    await startAs(profile)
    const made = await created(complete)
    for (const field of ['name', 'preset', 'punctuation', 'sortOrder']) {
      expectRefused(await patch(made.id, { [field]: null }))
    }
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
