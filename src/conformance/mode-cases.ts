import { z } from 'zod'
import { platforms } from '#contract/enums'
import { macosRequiredModeFields, modeDefaults } from '#contract/modes'
import {
  ask,
  asObjects,
  type ConformanceCase,
  type Exchange,
  except,
  type Fault,
  inTurn,
  type JsonObject,
  notApplicable,
  reads,
  risks,
  unknownId,
  writes,
} from './conformance-case.ts'
import {
  createMode,
  draftFinding,
  expectAnswer,
  expectMode,
  expectRefusal,
  expectSame,
  expectShape,
  listModes,
  modeShape,
  ourName,
  patchMode,
  readMode,
} from './expect-reply.ts'

/** Cases about reading, creating, ordering and deleting Modes. */
export const modeCases: readonly ConformanceCase[] = [
  reads('modes.shape', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/modes')
    return expectShape(reply, z.looseObject({ ok: z.literal(true), modes: z.array(modeShape) }), reply.json)
  }),
  reads('modes.get', platforms, async (exchange) => {
    const [mode] = await listModes(exchange)
    if (mode === undefined) return notApplicable('there is no Mode')
    const reply = await ask(exchange, 'GET', `/modes/${mode['id']}`)
    return [expectAnswer(reply, 'getMode'), expectSame(reply, 'mode', reply.json['mode'], mode)]
  }),
  reads('modes.unknown-id', platforms, (exchange) => refusesId(exchange, unknownId, 'MODE_NOT_FOUND')),
  reads('modes.malformed-id', platforms, (exchange) => refusesId(exchange, 'not-a-uuid', 'INVALID_REQUEST')),
  reads('modes.order/present', platforms, async (exchange) => expectOrder(await listModes(exchange))),
  writes('modes.order/own', platforms, async (exchange) => {
    for (const [label, sortOrder] of [
      ['order c', 9],
      ['order a', -9],
      ['order b', 9],
    ] as const) {
      const created = await createMode(exchange, label, { sortOrder })
      if (!created.ok) return created.failure
    }
    const modes = await listModes(exchange)
    const ours = modes
      .map((mode) => mode['name'])
      .filter((name) => String(name).startsWith(ourName(exchange, 'order')))
    const due = ourName(exchange, 'order a')
    // The order of the other two is open, because their creation dates may be of the same second.
    return ours[0] === due
      ? expectOrder(modes)
      : `GET /modes lists ${ours.join(', ')}; ${due} was due before the others`
  }),
  reads('modes.one-default', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/modes')
    return [expectAnswer(reply, 'listModes'), expectOneDefault(asObjects(reply.json['modes']))]
  }),
  writes('modes.default-moves', platforms, async (exchange) => {
    const created = await createMode(exchange, 'default')
    if (!created.ok) return created.failure
    const reply = await patchMode(exchange, created.value.id, { isDefault: true })
    const holders = (await listModes(exchange)).filter((mode) => mode['isDefault'] === true)
    return [
      expectMode(reply, { isDefault: true }),
      expectSame(
        reply,
        'the list of default Modes',
        holders.map(({ id }) => id),
        [created.value.id],
      ),
    ]
  }),

  writes('modes.create', platforms, async (exchange) => {
    const draft = draftFinding(exchange, 'create', { preset: 'mail', language: 'de', punctuation: false })
    const reply = await ask(exchange, 'POST', '/modes', { json: draft })
    const found = await ask(exchange, 'GET', `/modes/${readMode(reply)?.id ?? unknownId}`)
    return [
      expectMode(reply, draft),
      expectShape(reply, modeShape, reply.json['mode'], 'mode'),
      expectSame(found, 'mode', found.json['mode'], reply.json['mode']),
    ]
  }),
  writes('modes.create-defaults', except('macos'), async (exchange) => {
    const reply = await ask(exchange, 'POST', '/modes', { json: { name: ourName(exchange, 'defaults') } })
    const shape = z.looseObject({ model: z.string().min(1) })
    return [expectMode(reply, modeDefaults), expectShape(reply, shape, reply.json['mode'], 'mode')]
  }),
  writes(
    'modes.create-required',
    ['macos'],
    async (exchange) =>
      await inTurn(
        macosRequiredModeFields.filter((field) => field !== 'name'),
        async (field) => expectRefusal(await createWithout(exchange, field), 'INVALID_REQUEST'),
      ),
  ),
  writes('modes.name-required', platforms, async (exchange) =>
    expectRefusal(await createWithout(exchange, 'name'), 'INVALID_REQUEST'),
  ),

  writes('modes.delete', platforms, async (exchange) => {
    const created = await createMode(exchange, 'delete')
    if (!created.ok) return created.failure
    const path = `/modes/${created.value.id}`
    const reply = await ask(exchange, 'DELETE', path)
    return [
      expectSame(reply, 'the answer', reply.json, { ok: true }),
      expectRefusal(await ask(exchange, 'GET', path), 'MODE_NOT_FOUND'),
    ]
  }),
  risks('modes.last', platforms, async (exchange) => {
    const [only, ...others] = await listModes(exchange)
    if (only === undefined || others.length > 0) {
      return notApplicable('the service has more Modes than one, and only a last one shows the rule')
    }
    const reply = await ask(exchange, 'DELETE', `/modes/${only['id']}`)
    const fault = expectRefusal(reply, 'INVALID_REQUEST')
    // A deleted Mode is created again as far as the API allows, with another id.
    if (reply.json['ok'] === true) await ask(exchange, 'POST', '/modes', { json: only })
    return fault
  }),
]

async function refusesId(exchange: Exchange, id: string, code: 'MODE_NOT_FOUND' | 'INVALID_REQUEST') {
  const path = `/modes/${id}`
  return [
    expectRefusal(await ask(exchange, 'GET', path), code),
    expectRefusal(await patchMode(exchange, id, { language: 'en' }), code),
    expectRefusal(await ask(exchange, 'DELETE', path), code),
  ]
}

function createWithout(exchange: Exchange, field: string) {
  const draft = draftFinding(exchange, `without ${field}`)
  const json = Object.fromEntries(Object.entries(draft).filter(([name]) => name !== field))
  return ask(exchange, 'POST', '/modes', { json })
}

function expectOrder(modes: readonly JsonObject[]) {
  const keys = modes.map(
    (mode) => [Number(mode['sortOrder']), Date.parse(String(mode['createdDate']))] as const,
  )
  const wrong = keys.findIndex((key, index) => {
    const [order, created] = keys[index - 1] ?? [Number.NEGATIVE_INFINITY, 0]
    return order > key[0] || (order === key[0] && created > key[1])
  })
  return wrong === -1 ? null : `GET /modes: the Mode at place ${wrong + 1} belongs before the one above it`
}

function expectOneDefault(modes: readonly JsonObject[]): Fault {
  const count = modes.filter((mode) => mode['isDefault'] === true).length
  return count === 1 ? null : `GET /modes: ${count} of ${modes.length} Modes are the default one`
}

/** Cases about the names of Modes: trimming, rejected names, and uniqueness. */
export const modeNameCases: readonly ConformanceCase[] = [
  writes('modes.name-empty', platforms, async (exchange) => refusesNames(exchange, ['', ' ', '\t \n'])),
  writes('modes.name-trimmed', ['macos', 'windows', 'windows-legacy'], async (exchange) => {
    const name = ourName(exchange, 'trimmed')
    return await expectStored(exchange, ` \t${name}\n `, name)
  }),
  writes('modes.name-white-space', ['windows', 'windows-legacy'], async (exchange) => {
    const name = ourName(exchange, 'white space')
    const keptName = `${ourName(exchange, 'kept')}\u200b\ufeff`
    return [
      await expectStored(exchange, `\u0085\u00a0\u3000${name}\u2028\u1680`, name),
      await expectStored(exchange, keptName, keptName),
    ]
  }),
  writes('modes.name-unicode', ['macos'], async (exchange) => {
    const composed = ourName(exchange, 'caf\u00e9')
    const created = await create(exchange, ourName(exchange, 'cafe\u0301'))
    return [
      expectMode(created, { name: composed }),
      expectRefusal(await create(exchange, composed), 'MODE_NAME_TAKEN'),
    ]
  }),
  writes('modes.name-invisible', ['macos'], async (exchange) => {
    const name = ourName(exchange, 'invisible')
    return await expectStored(exchange, `\u200b\u2060${name}\u200d\ufeff`, name)
  }),
  writes('modes.name-invisible/selectors', ['macos'], async (exchange) => {
    const name = ourName(exchange, 'selectors')
    const ends = ['\ufe0f', '\u{e0067}\u{e007f}', '\u2800', '\u{e0100}']
    return await inTurn(ends, async (end) => {
      const created = await create(exchange, `${end}${name} ${ends.indexOf(end)}${end}`)
      return expectMode(created, { name: `${name} ${ends.indexOf(end)}` })
    })
  }),
  writes('modes.name-visible', ['macos'], async (exchange) =>
    refusesNames(exchange, ['\u200b', '\u200d\u2060 ', '\u0301', '\u0301\u0308', '\u2800', '\ufe0f']),
  ),
  writes('modes.name-unique/create', platforms, async (exchange) => {
    const created = await createMode(exchange, 'Unique')
    if (!created.ok) return created.failure
    const names = [
      ourName(exchange, 'Unique'),
      ourName(exchange, 'uNIQUE'),
      `  ${ourName(exchange, 'unique')} `,
    ]
    return await inTurn(names, async (name) => expectRefusal(await create(exchange, name), 'MODE_NAME_TAKEN'))
  }),
  writes('modes.name-unique/patch', platforms, async (exchange) => {
    const first = await createMode(exchange, 'First')
    if (!first.ok) return first.failure
    const second = await createMode(exchange, 'Second')
    if (!second.ok) return second.failure
    const shouted = ourName(exchange, 'FIRST')
    return [
      expectRefusal(await patchMode(exchange, second.value.id, { name: shouted }), 'MODE_NAME_TAKEN'),
      expectMode(await patchMode(exchange, first.value.id, { name: shouted }), { name: shouted }),
    ]
  }),
]

function create(exchange: Exchange, name: string) {
  return ask(exchange, 'POST', '/modes', { json: draftFinding(exchange, '', { name }) })
}

async function expectStored(exchange: Exchange, name: string, due: string) {
  return expectMode(await create(exchange, name), { name: due })
}

/** Expects that create and patch reject each name. */
async function refusesNames(exchange: Exchange, names: readonly string[]) {
  const created = await createMode(exchange, 'refused names')
  if (!created.ok) return created.failure
  return await inTurn(
    names,
    async (name) =>
      expectRefusal(await create(exchange, name), 'INVALID_REQUEST') ??
      expectRefusal(await patchMode(exchange, created.value.id, { name }), 'INVALID_REQUEST'),
  )
}
