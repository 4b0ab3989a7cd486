import { beforeEach, describe, expect, test } from 'vitest'
import { platforms } from '#contract/enums'
import { mode } from '#contract/modes'
import { startService } from '#service/service'
import {
  complete,
  create,
  created,
  expectRefused,
  list,
  patch,
  send,
  shareService,
  startAs,
  unknownId,
} from './mode-service.ts'
import { startTestService } from './running-service.ts'

shareService()

describe.each(platforms)('Modes on %s', (profile) => {
  beforeEach(() => startAs(profile))

  test('there is one from the first start, provided by the system, and the default one', async () => {
    expect(await list()).toMatchObject([
      { isDefault: true, isSystemProvided: true, model: 'echo', sortOrder: 0 },
    ])
  })

  test('a created one can be fetched, listed, changed and deleted', async () => {
    const made = await created(complete)
    expect(made).toMatchObject({ ...complete, isDefault: false, isSystemProvided: false })
    expect(mode.safeParse(made).success).toBe(true)
    const fetched = await send('GET', `/modes/${made.id}`)
    expect(fetched.json).toEqual({ ok: true, mode: made })
    expect((await list()).map(({ id }) => id)).toContain(made.id)
    const changed = await patch(made.id, { language: 'fr' })
    expect(changed.json.mode).toEqual({
      ...made,
      language: 'fr',
      modifiedDate: changed.json.mode?.modifiedDate,
    })
    expect((await send('DELETE', `/modes/${made.id}`)).json).toEqual({ ok: true })
    expectRefused(await send('GET', `/modes/${made.id}`), 'MODE_NOT_FOUND')
  })

  test('an id is found in upper case as well', async () => {
    const made = await created(complete)
    expect((await send('GET', `/modes/${made.id.toUpperCase()}`)).json.mode).toEqual(made)
  })

  test('an id that is no uuid is refused, and one that no Mode has is not found', async () => {
    for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
      for (const id of ['', 'abc', `${unknownId}0`, '%00', 'x'.repeat(5_000)]) {
        expectRefused(await send(method, `/modes/${id}`, { body }))
      }
      expectRefused(await send(method, `/modes/${unknownId}`, { body }), 'MODE_NOT_FOUND')
    }
  })

  test('read-only and unknown fields of a body are passed over', async () => {
    const foreign = {
      id: unknownId,
      isSystemProvided: true,
      createdDate: '2000-01-01',
      modifiedDate: '2000-01-01',
    }
    const made = await created({ ...complete, ...foreign, colour: 'red' })
    expect(made).not.toMatchObject({ id: unknownId })
    const patched = (await patch(made.id, { ...foreign, colour: 'red' })).json.mode
    expect(patched).toEqual({ ...made, modifiedDate: patched?.modifiedDate })
    expect(Date.parse(patched?.modifiedDate ?? '')).toBeGreaterThanOrEqual(Date.parse(made.modifiedDate))
  })

  test('a name is unique without regard to case', async () => {
    const made = await created({ ...complete, name: 'Straße' })
    for (const name of ['Straße', 'STRASSE', ' straße\t']) {
      expectRefused(await create({ ...complete, name }), 'MODE_NAME_TAKEN')
    }
    const other = await created({ ...complete, name: 'Other' })
    expectRefused(await patch(other.id, { name: 'strasse' }), 'MODE_NAME_TAKEN')
    expect((await patch(made.id, { name: 'STRASSE' })).json.mode).toMatchObject({ name: 'STRASSE' })
  })

  test('a name keeps nothing of the white space around it, and has to keep something', async () => {
    const made = await created({ ...complete, name: '\u00a0 Notes \n' })
    expect(made.name).toBe('Notes')
    for (const name of ['', '   ', '\t\n\u2003']) {
      expectRefused(await create({ ...complete, name }))
      expectRefused(await patch(made.id, { name }))
    }
    expect((await list()).map(({ name }) => name)).toContain('Notes')
  })

  test.each([
    ['preset', 'poem'],
    ['name', 5],
    ['punctuation', 'yes'],
    ['sortOrder', 2_147_483_648],
    ['sortOrder', -2_147_483_649],
    ['sortOrder', 1.5],
    ['postProcessingMode', 3],
    ['postProcessingMode', -1],
    ['postProcessingMode', '0'],
    ['englishSpelling', 'irish'],
    ['customInstructions', 5],
    ['language', ''],
  ])('%s: %j is refused', async (field, value) => {
    const made = await created(complete)
    expectRefused(await create({ ...complete, name: 'Another', [field]: value }))
    const refused = await patch(made.id, { removeTrailingPeriod: true, [field]: value })
    expectRefused(refused)
    expect(refused.json.error?.message).toContain(field)
    expect((await send('GET', `/modes/${made.id}`)).json.mode).toEqual(made)
  })

  test.each([
    ['sortOrder', 32_767],
    ['sortOrder', -32_768],
    ['postProcessingMode', 2],
    ['englishSpelling', 'canadian'],
    ['customInstructions', 'Be brief.'],
    ['cloudTranscriptionDomain', 'medical'],
  ])('%s: %j is taken', async (field, value) => {
    const made = await created({ ...complete, [field]: value })
    expect(made).toMatchObject({ [field]: value })
  })

  test('every bad field is named at once', async () => {
    const refused = await create({ ...complete, preset: 'poem', sortOrder: 1e10, name: '  ' })
    for (const field of ['preset', 'sortOrder', 'name']) expect(refused.json.error?.message).toContain(field)
  })

  test('malformed JSON is HTTP 400; JSON that is no object is not', async () => {
    const made = await created(complete)
    for (const body of ['', '{', 'nope', '{"name": }']) {
      for (const answer of [
        await send('POST', '/modes', { body, headers: { 'content-type': 'application/json' } }),
        await send('PATCH', `/modes/${made.id}`, { body, headers: { 'content-type': 'text/plain' } }),
      ]) {
        expectRefused(answer, 'INVALID_REQUEST', 400)
        expect(answer.json.error?.message).toBe('Invalid JSON body')
      }
    }
    for (const body of ['[]', 'null', '"text"', '5']) expectRefused(await create(body))
  })

  test('one is always the default, and it is one', async () => {
    const [first] = await list()
    const second = await created({ ...complete, name: 'Second', isDefault: true })
    const third = await created({ ...complete, name: 'Third' })
    const defaults = async (): Promise<string[]> =>
      (await list()).filter((m) => m.isDefault).map(({ id }) => id)
    expect(await defaults()).toEqual([second.id])
    await patch(third.id, { isDefault: true })
    expect(await defaults()).toEqual([third.id])
    expectRefused(await patch(third.id, { isDefault: false }))
    expect((await patch(second.id, { isDefault: false })).json['ok']).toBe(true)
    await send('DELETE', `/modes/${third.id}`)
    expect(await defaults()).toEqual([first?.id])
  })

  test('the last one cannot be deleted', async () => {
    const [only] = await list()
    expectRefused(await send('DELETE', `/modes/${only?.id}`))
    expect(await list()).toEqual([only])
  })

  test('they are in the order of sortOrder, then of creation', async () => {
    for (const [name, sortOrder] of [
      ['C', 5],
      ['A', -1],
      ['D', 5],
      ['B', 2],
    ] as const) {
      await created({ ...complete, name, sortOrder })
    }
    expect((await list()).map(({ name }) => name)).toEqual(['A', 'Dictation', 'B', 'C', 'D'])
    expect((await created({ ...complete, name: 'Last' })).sortOrder).toBe(6)
  })
})

test('Modes survive the service', async () => {
  await using first = await startTestService({ profile: 'windows' })
  await first.send('POST', '/modes', { body: complete })
  const before = (await first.send('GET', '/modes')).json
  await first.service.stop()
  await using again = await startService({ dataDir: first.folder, profile: 'windows' })
  const answer = await fetch(`${again.baseUrl}/modes`, {
    headers: { authorization: `Bearer ${again.token}` },
  })
  expect(await answer.json()).toEqual(before)
})
