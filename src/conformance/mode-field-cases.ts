import { englishSpellings, limits, modePresets, platforms, postProcessingModes } from '#contract/enums'
import { clearableModeFields, readOnlyModeFields, windowsModeFields } from '#contract/modes'
import {
  ask,
  asObject,
  type ConformanceCase,
  type Exchange,
  except,
  type Finding,
  inTurn,
  type JsonObject,
  unknownId,
  writes,
} from './conformance-case.ts'
import {
  createMode,
  draftFinding,
  expectMode,
  expectRefusal,
  type OwnMode,
  patchMode,
  readMode,
} from './expect-reply.ts'
import type { RuleId } from './rules.ts'

/** Cases about valid values of a Mode's fields, and about PATCH. */
export const modeFieldCases: readonly ConformanceCase[] = [
  takes('modes.preset', 'preset', modePresets, ['poem', '', 'Note']),
  takes('modes.spelling', 'englishSpelling', englishSpellings, ['welsh', '', 'British']),
  takes('modes.post-processing-mode', 'postProcessingMode', postProcessingModes, [3, -1, 1.5]),
  {
    ...takes(
      'modes.sort-order',
      'sortOrder',
      [limits.sortOrder.minimum, 0, limits.sortOrder.maximum],
      [limits.sortOrder.minimum - 1, limits.sortOrder.maximum + 1, 0.5],
    ),
    platforms: ['macos'],
  },
  {
    ...takes(
      'modes.sort-order-elsewhere',
      'sortOrder',
      [limits.sortOrder.maximum + 1, limits.sortOrderElsewhere.minimum, limits.sortOrderElsewhere.maximum],
      [limits.sortOrderElsewhere.maximum + 1, 0.5],
    ),
    platforms: ['windows', 'windows-legacy', 'linux'],
  },
  writes('modes.types', platforms, (exchange) =>
    withMode(exchange, 'types', async (mode) => {
      const wrong: readonly JsonObject[] = [
        { punctuation: 'yes' },
        { punctuation: 1 },
        { name: 7 },
        { language: ['en'] },
        { customInstructions: {} },
        { sortOrder: '1' },
        { isDefault: 'true' },
      ]
      return await inTurn(wrong, async (fields) =>
        expectRefusal(await patchMode(exchange, mode.id, fields), 'INVALID_REQUEST'),
      )
    }),
  ),
  writes('modes.read-only', platforms, async (exchange) => {
    const created = await ask(exchange, 'POST', '/modes', {
      json: draftFinding(exchange, 'read-only', readOnly),
    })
    const mode = readMode(created)
    if (mode === null) return expectMode(created, {})
    const adopted = readOnlyModeFields.filter((field) => mode[field] === readOnly[field])
    if (adopted.length > 0) return `POST /modes took ${adopted.join(', ')} from the body`
    const { id, isSystemProvided, createdDate } = mode
    const patched = await patchMode(exchange, id, { ...readOnly, language: 'de' })
    const modified = asObject(patched.json['mode'])['modifiedDate']
    return [
      expectMode(patched, { id, isSystemProvided, createdDate, language: 'de' }),
      modified === readOnly.modifiedDate ? `${patched.request} took modifiedDate from the body` : null,
    ]
  }),
  writes('modes.patch-partial', platforms, (exchange) =>
    withMode(exchange, 'partial', async (mode) => {
      const changes = { language: 'fr', capitalization: false, customInstructions: 'Be brief.' }
      // The fields are filled first, so that the case notices a server that clears absent fields.
      await patchMode(exchange, mode.id, filled)
      const before = await ask(exchange, 'GET', `/modes/${mode.id}`)
      const { modifiedDate: _, ...untouched } = asObject(before.json['mode'])
      const reply = await patchMode(exchange, mode.id, changes)
      const found = await ask(exchange, 'GET', `/modes/${mode.id}`)
      return [
        expectMode(reply, { ...untouched, ...changes }),
        expectMode(found, { ...untouched, ...changes }),
      ]
    }),
  ),
  writes('modes.modified-date', platforms, (exchange) =>
    withMode(exchange, 'modified', async (mode) => {
      let modifiedDate: unknown = mode['modifiedDate']
      // A server with dates in whole seconds shows a new date only in the next second.
      for (let tries = 0; tries < 5 && modifiedDate === mode['modifiedDate']; tries += 1) {
        if (tries > 0) await exchange.wait(300)
        const reply = await patchMode(exchange, mode.id, { punctuation: tries % 2 === 0 })
        modifiedDate = asObject(reply.json['mode'])['modifiedDate']
      }
      const isLater = Date.parse(String(modifiedDate)) > Date.parse(String(mode['modifiedDate']))
      return isLater
        ? null
        : `modifiedDate is ${modifiedDate} after PATCHes of a Mode of ${mode['modifiedDate']}`
    }),
  ),
  writes('modes.null-clears', ['macos', 'linux'], (exchange) =>
    withMode(exchange, 'clears', async (mode) => {
      await patchMode(exchange, mode.id, filled)
      const nulls = Object.fromEntries(clearableModeFields.map((field) => [field, null]))
      const reply = await patchMode(exchange, mode.id, nulls)
      const seen = asObject(reply.json['mode'])
      const stale = clearableModeFields.filter((field) => (seen[field] ?? null) !== null)
      return [expectMode(reply, {}), stale.length === 0 ? null : `null did not clear ${stale.join(', ')}`]
    }),
  ),
  writes('modes.null-omitted', ['windows', 'windows-legacy'], (exchange) =>
    withMode(exchange, 'omitted', async (mode) => {
      const before = await patchMode(exchange, mode.id, filled)
      const nulls = Object.fromEntries(clearableModeFields.map((field) => [field, null]))
      const reply = await patchMode(exchange, mode.id, nulls)
      const { modifiedDate: _, ...untouched } = asObject(before.json['mode'])
      return [expectMode(before, {}), expectMode(reply, untouched)]
    }),
  ),
  writes('modes.null-created', platforms, async (exchange) => {
    const nulls = { customInstructions: null, sortOrder: null, isDefault: null, removeTrailingPeriod: null }
    const created = await ask(exchange, 'POST', '/modes', { json: draftFinding(exchange, 'nulls', nulls) })
    return expectMode(created, { isDefault: false, removeTrailingPeriod: false })
  }),
  writes('modes.null-refused', ['macos', 'linux'], (exchange) =>
    withMode(
      exchange,
      'null refused',
      async ({ id }) =>
        await inTurn(withoutNull, async (field) =>
          expectRefusal(await patchMode(exchange, id, { [field]: null }), 'INVALID_REQUEST'),
        ),
    ),
  ),
  writes('modes.null-left-out', ['windows', 'windows-legacy'], (exchange) =>
    withMode(exchange, 'null left out', async ({ modifiedDate: _, ...untouched }) => {
      const nulls = Object.fromEntries(withoutNull.map((field) => [field, null]))
      return expectMode(await patchMode(exchange, untouched.id, nulls), untouched)
    }),
  ),
  writes('modes.text-limits', platforms, (exchange) =>
    withMode(exchange, 'text limits', async ({ id }) => {
      const { identifier, instructions } = limits.modeText
      const tooLong: readonly JsonObject[] = [
        { name: 'x'.repeat(identifier + 1) },
        { language: 'x'.repeat(identifier + 1) },
        { customInstructions: 'x'.repeat(instructions + 1) },
      ]
      const longest = { customInstructions: 'x'.repeat(instructions) }
      return [
        expectMode(await patchMode(exchange, id, longest), longest),
        await inTurn(tooLong, async (fields) =>
          expectRefusal(await patchMode(exchange, id, fields), 'INVALID_REQUEST'),
        ),
      ]
    }),
  ),
  writes('modes.windows-fields-ignored', ['macos'], (exchange) =>
    withMode(exchange, 'windows fields', async (mode) => {
      const reply = await patchMode(exchange, mode.id, windowsValues)
      const shown = windowsModeFields.filter((field) => Object.hasOwn(asObject(reply.json['mode']), field))
      return [expectMode(reply, {}), shown.length === 0 ? null : `${reply.request} shows ${shown.join(', ')}`]
    }),
  ),
  writes('modes.windows-fields', ['windows', 'windows-legacy'], (exchange) =>
    withMode(exchange, 'windows fields', async (mode) => {
      const reply = await patchMode(exchange, mode.id, windowsValues)
      const seen = asObject(reply.json['mode'])
      // The specification allows some builds to omit these fields in responses.
      const shown = Object.entries(windowsValues).filter(([field]) => seen[field] !== undefined)
      return expectMode(reply, Object.fromEntries(shown))
    }),
  ),
]

/** Fields that the specification declares as not nullable. */
const withoutNull = ['name', 'preset', 'punctuation', 'sortOrder']

const readOnly = {
  id: unknownId,
  isSystemProvided: true,
  createdDate: '2001-02-03T04:05:06.000Z',
  modifiedDate: '2001-02-03T04:05:06.000Z',
}

const filled: JsonObject = {
  ...Object.fromEntries(clearableModeFields.map((field) => [field, `a ${field}`])),
  englishSpelling: 'british',
}

const windowsValues: JsonObject = {
  localEngine: 'an engine',
  localEngineBModel: 'a model',
  localPostProcessingModel: 'a language model',
  customVocabulary: ['transcribench', 'WER'],
  providerType: 'a type',
}

async function withMode(exchange: Exchange, label: string, check: (mode: OwnMode) => Promise<Finding>) {
  const created = await createMode(exchange, label)
  return created.ok ? check(created.value) : created.failure
}

/** A case about a field: `good` values are accepted; `bad` ones get INVALID_REQUEST on create and patch. */
function takes(
  rule: RuleId,
  field: string,
  good: readonly unknown[],
  bad: readonly unknown[],
): ConformanceCase {
  return writes(rule, except(), (exchange) =>
    withMode(exchange, `takes ${field}`, async ({ id }) => {
      const refuses = async (value: unknown) => {
        const draft = draftFinding(exchange, `bad ${field}`, { [field]: value })
        return (
          expectRefusal(await patchMode(exchange, id, { [field]: value }), 'INVALID_REQUEST') ??
          expectRefusal(await ask(exchange, 'POST', '/modes', { json: draft }), 'INVALID_REQUEST')
        )
      }
      return [
        await inTurn(good, async (value) =>
          expectMode(await patchMode(exchange, id, { [field]: value }), { [field]: value }),
        ),
        await inTurn(bad, refuses),
      ]
    }),
  )
}
