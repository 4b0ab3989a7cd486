import { platforms } from '#contract'
import { ask } from '../ask.ts'
import { type ConformanceCase, judge, named, writes } from '../conformance-case.ts'
import type { Exchange } from '../exchange.ts'
import { expectRefusal } from '../expect-reply.ts'
import { createMode, draftOf, expectMode, ourName, patchMode } from '../modes-of-ours.ts'
import { inTurn } from './access.ts'

/** The names of Modes: what is trimmed, what is refused, and which ones are the same. */
export const modeNameCases: readonly ConformanceCase[] = [
  writes('modes.name-empty', platforms, async (exchange) => refusesNames(exchange, ['', ' ', '\t \n'])),
  writes('modes.name-trimmed', ['macos', 'windows', 'windows-legacy'], async (exchange) => {
    const name = ourName(exchange, 'trimmed')
    return judge(await expectStored(exchange, ` \t${name}\n `, name))
  }),
  writes('modes.name-white-space', ['windows', 'windows-legacy'], async (exchange) => {
    const name = ourName(exchange, 'white space')
    const kept = `${ourName(exchange, 'kept')}\u200b\ufeff`
    return judge(
      await expectStored(exchange, `\u0085\u00a0\u3000${name}\u2028\u1680`, name),
      await expectStored(exchange, kept, kept),
    )
  }),
  writes('modes.name-unicode', ['macos'], async (exchange) => {
    const composed = ourName(exchange, 'caf\u00e9')
    const made = await create(exchange, ourName(exchange, 'cafe\u0301'))
    return judge(
      expectMode(made, { name: composed }),
      expectRefusal(await create(exchange, composed), 'MODE_NAME_TAKEN'),
    )
  }),
  writes('modes.name-invisible', ['macos'], async (exchange) => {
    const name = ourName(exchange, 'invisible')
    return judge(await expectStored(exchange, `\u200b\u2060${name}\u200d\ufeff`, name))
  }),
  named(
    'selectors',
    writes('modes.name-invisible', ['macos'], async (exchange) => {
      const name = ourName(exchange, 'selectors')
      const ends = ['\ufe0f', '\u{e0067}\u{e007f}', '\u2800', '\u{e0100}']
      return judge(
        await inTurn(ends, async (end) => {
          const made = await create(exchange, `${end}${name} ${ends.indexOf(end)}${end}`)
          return expectMode(made, { name: `${name} ${ends.indexOf(end)}` })
        }),
      )
    }),
  ),
  writes('modes.name-visible', ['macos'], async (exchange) =>
    refusesNames(exchange, ['\u200b', '\u200d\u2060 ', '\u0301', '\u0301\u0308', '\u2800', '\ufe0f']),
  ),
  named(
    'create',
    writes('modes.name-unique', platforms, async (exchange) => {
      const made = await createMode(exchange, 'Unique')
      if (!made.ok) return made.failure
      const names = [
        ourName(exchange, 'Unique'),
        ourName(exchange, 'uNIQUE'),
        `  ${ourName(exchange, 'unique')} `,
      ]
      return judge(
        await inTurn(names, async (name) => expectRefusal(await create(exchange, name), 'MODE_NAME_TAKEN')),
      )
    }),
  ),
  named(
    'patch',
    writes('modes.name-unique', platforms, async (exchange) => {
      const first = await createMode(exchange, 'First')
      if (!first.ok) return first.failure
      const second = await createMode(exchange, 'Second')
      if (!second.ok) return second.failure
      const shouted = ourName(exchange, 'FIRST')
      return judge(
        expectRefusal(await patchMode(exchange, second.value.id, { name: shouted }), 'MODE_NAME_TAKEN'),
        expectMode(await patchMode(exchange, first.value.id, { name: shouted }), { name: shouted }),
      )
    }),
  ),
]

function create(exchange: Exchange, name: string) {
  return ask(exchange, 'POST', '/modes', { json: draftOf(exchange, '', { name }) })
}

async function expectStored(exchange: Exchange, name: string, due: string) {
  return expectMode(await create(exchange, name), { name: due })
}

/** On create and on patch. */
async function refusesNames(exchange: Exchange, names: readonly string[]) {
  const made = await createMode(exchange, 'refused names')
  if (!made.ok) return made.failure
  return judge(
    await inTurn(
      names,
      async (name) =>
        expectRefusal(await create(exchange, name), 'INVALID_REQUEST') ??
        expectRefusal(await patchMode(exchange, made.value.id, { name }), 'INVALID_REQUEST'),
    ),
  )
}
