import { expect, test } from 'vitest'
import type { ConformanceCase, Exchange } from '#conformance/conformance-case'
import { conformanceCases, runConformanceCases } from '#conformance/run-conformance-cases'
import { platforms } from '#contract/enums'

/** Values that no field of the API has, as a server of another program may send them. */
const oddValues: readonly unknown[] = [
  null,
  true,
  -1,
  1e300,
  '',
  'a b\r\nX: ü?#/../%',
  '\ud800',
  'never',
  '+275760-09-13T00:00:00Z',
  [],
  [null],
  {},
  { toString: 1, valueOf: [], toJSON: null, ['__proto__']: null },
]

/** An answer to any request whose fields all have this value, in every list and object of the API. */
function answerOf(value: unknown): unknown {
  const names = [
    'id',
    'name',
    'isDefault',
    'sortOrder',
    'createdDate',
    'date',
    'text',
    'kind',
    'state',
    'code',
  ]
  const fields = Object.fromEntries(names.map((name) => [name, value]))
  const local = { ...fields, provider: 'local', installed: true, isDefault: true, key_present: false }
  const list = [value, fields, local]
  const lists = { modes: list, models: list, recordings: list, providers: list }
  const objects = { mode: local, recording: fields, error: fields, local_models: { engine_a: list } }
  return { ok: value !== false, ...lists, ...objects, ...fields, total: value, returned: value }
}

function foreignServer(text: string): Exchange {
  const reply = { status: 200, headers: {}, text, fault: null, isClosed: false }
  const sound = new Uint8Array(100)
  return {
    async send({ target }) {
      // A request line has no other characters; Node refuses to send them.
      expect(target).toMatch(/^[\x21-\x7e]+$/)
      return reply
    },
    port: 1234,
    token: 'x'.repeat(43),
    runId: 'a-run',
    audio: { second: sound, isSpeech: true, minute: sound, empty: sound },
    outside: { existing: '/there', missing: '/not-there' },
    files: {
      place: async (name) => `/${name}`,
      link: async (name) => `/${name}`,
      pathOf: (name) => `/${name}`,
    },
    discovery: { content: JSON.parse(text), mode: null },
    answeringElsewhere: async () => [],
    base64: () => 'AAAA',
    wait: async () => undefined,
  }
}

test.each(oddValues.map((value) => [JSON.stringify(value), value]))(
  'a server of another program, all of whose fields are %s, is reported on rule by rule',
  async (_, value) => {
    // Bodies of 50 MiB take most of the time, and read no field of an answer.
    const cases = conformanceCases.filter(({ rule }) => !rule.startsWith('limits.'))
    for (const platform of platforms) {
      const server = foreignServer(JSON.stringify(answerOf(value)))
      const options = { platform, allowed: ['reads', 'writes', 'risks'] } as const
      const { isComplete, counts } = await runConformanceCases(server, cases, options)
      expect(isComplete).toBe(true)
      expect(counts.broken).toBeGreaterThan(0)
    }
  },
)

test('a service that answers no more is not said to have no Modes left of those that were created on it', async () => {
  const server = foreignServer('{}')
  const reply = await server.send({ method: 'GET', target: '/', headers: [] })
  const modes = new Map<string, object>()
  let isAlive = true
  /** A service that dies when it is asked to transcribe. */
  const send: Exchange['send'] = async ({ method, target }) => {
    if (target === '/transcribe') isAlive = false
    if (!isAlive) return { ...reply, status: null, text: '', fault: 'connection refused' }
    const [, id = ''] = /^\/modes\/(.+)$/.exec(target) ?? []
    if (method === 'DELETE') return { ...reply, text: JSON.stringify({ ok: modes.delete(id) }) }
    if (method === 'GET') return { ...reply, text: JSON.stringify({ ok: true, modes: [...modes.values()] }) }
    const mode = { id: `id-${modes.size}`, name: `of ${target}` }
    modes.set(mode.id, mode)
    return { ...reply, text: JSON.stringify({ ok: true, mode }) }
  }
  const leftOf = async (cases: readonly ConformanceCase[]) => {
    const options = { platform: 'linux', allowed: ['writes'] } as const
    return (await runConformanceCases({ ...server, send }, cases, options)).leftBehind
  }
  const creating = conformanceCases.filter(({ rule }) => rule === 'modes.create')
  const deadly = creating.map((one) => ({
    ...one,
    check: async (exchange: Exchange) => {
      const verdict = await one.check(exchange)
      await exchange.send({ method: 'POST', target: '/transcribe', headers: [] })
      return verdict
    },
  }))
  expect(await leftOf(creating)).toEqual([])
  expect(await leftOf(deadly)).toEqual(['id-0'])
})
