import { z } from 'zod'
import { platforms } from '#contract/enums'
import {
  ask,
  asObject,
  asObjects,
  type ConformanceCase,
  type Exchange,
  type Finding,
  type FoundDiscovery,
  inTurn,
  notApplicable,
  type Reply,
  reads,
  writes,
} from './conformance-case.ts'
import {
  discoveryShape,
  expectAnswer,
  expectRefusal,
  expectSame,
  expectShape,
  healthShape,
  localModelsShape,
  modelShape,
  providerShapes,
} from './expect-reply.ts'

/** Cases about `GET /health` and `GET /models`, the inventory of the service. */
export const inventoryCases: readonly ConformanceCase[] = [
  reads('health.shape', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/health')
    return expectShape(reply, healthShape, reply.json)
  }),
  reads('health.port', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/health')
    return expectSame(reply, 'port', reply.json['port'], exchange.port)
  }),
  reads('health.providers', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/health')
    return expectShape(reply, providerShapes, reply.json)
  }),
  reads('health.local-models', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/health')
    return expectShape(reply, localModelsShape, reply.json['local_models'], 'local_models')
  }),

  reads('models.shape', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/models')
    const shape = z.looseObject({ ok: z.literal(true), models: z.array(modelShape) })
    return expectShape(reply, shape, reply.json)
  }),
  reads('models.filter', platforms, async (exchange) => {
    const all = await ask(exchange, 'GET', '/models')
    const every = readIds(all)
    return await inTurn(['voice', 'text', 'all'], async (kind) => {
      const reply = await ask(exchange, 'GET', `/models?kind=${kind}`)
      const due = readModels(all).filter((model) => kind === 'all' || model['kind'] === kind)
      return (
        expectAnswer(reply, 'listModels') ??
        expectSame(reply, 'the list', readIds(reply), kind === 'all' ? every : due.map(({ id }) => id))
      )
    })
  }),
  writes('models.text', platforms, async (exchange) => {
    const json = { text: 'hello world', prompt: 'Repeat the text as it is.' }
    const edited = await ask(exchange, 'POST', '/post-process', { json })
    if (edited.json['post_processed'] !== true) return notApplicable('no language model edits a text')
    const reply = await ask(exchange, 'GET', '/models?kind=text')
    const texts = readModels(reply).filter(({ kind }) => kind === 'text')
    const inventories = asObject((await ask(exchange, 'GET', '/health')).json['local_models'])
    const local = inventories['local_llm']
    const listed = asObjects(local).map(({ id }) => id)
    // A missing inventory is covered by another rule.
    const missing = Array.isArray(local)
      ? texts.filter(({ provider, id }) => provider === 'local' && !listed.includes(id))
      : []
    return [
      expectAnswer(reply, 'listModels'),
      texts.length === 0 ? `${reply.request} lists no model, and POST /post-process has one` : null,
      missing.length === 0 ? null : `local_llm lacks ${missing.map(({ id }) => id).join(', ')}`,
    ]
  }),
  reads('models.unknown-kind', platforms, async (exchange) =>
    expectRefusal(await ask(exchange, 'GET', '/models?kind=picture'), 'INVALID_REQUEST'),
  ),
  reads('models.installed-only', platforms, async (exchange) => {
    const all = readModels(await ask(exchange, 'GET', '/models'))
    const installed = all.filter((model) => model['installed'] === true)
    const expectations = [
      ...['true', '1', 'yes'].map((value) => ({ value, due: installed })),
      ...['false', '0', 'no', ''].map((value) => ({ value, due: all })),
    ]
    return await inTurn(expectations, async ({ value, due }) => {
      const reply = await ask(exchange, 'GET', `/models?installed_only=${value}`)
      return expectSame(
        reply,
        'the list',
        readIds(reply),
        due.map(({ id }) => id),
      )
    })
  }),
  reads('models.cloud-installed', platforms, async (exchange) => {
    const cloud = readModels(await ask(exchange, 'GET', '/models')).filter(
      ({ provider }) => provider !== 'local',
    )
    if (cloud.length === 0) return notApplicable('no model of a cloud provider is listed')
    const missing = cloud.filter((model) => model['installed'] !== true).map(({ id }) => id)
    return missing.length === 0 ? null : `not installed: ${missing.join(', ')}`
  }),
]

function readModels(reply: Reply) {
  return asObjects(reply.json['models'])
}

function readIds(reply: Reply): readonly unknown[] {
  return readModels(reply).map((model) => model['id'])
}

/** An engine and model that the service lists as installed; null where there is none. */
export async function installedVoice(
  exchange: Exchange,
): Promise<{ readonly engine: string; readonly model: string } | null> {
  const installed = readModels(await ask(exchange, 'GET', '/models?kind=voice&installed_only=true')).filter(
    ({ provider }) => provider === 'local',
  )
  const inventories = asObject((await ask(exchange, 'GET', '/health')).json['local_models'])
  for (const { id: model } of installed) {
    const engine = Object.keys(inventories).find((key) =>
      asObjects(inventories[key]).some((entry) => entry['id'] === model),
    )
    if (engine !== undefined && typeof model === 'string') return { engine, model }
  }
  return null
}

const ownerOnly = 0o600

/** Cases about the file by which clients find the service. */
export const discoveryCases: readonly ConformanceCase[] = [
  reads('discovery.file', platforms, (exchange) =>
    withFile(exchange, ({ content }) => {
      const { port, token } = asObject(content) as Readonly<Record<string, unknown>>
      if (port !== exchange.port) return `port is ${JSON.stringify(port)}; the service is on ${exchange.port}`
      return token === exchange.token ? null : 'token is not the one that the service takes'
    }),
  ),
  reads('discovery.fields', platforms, (exchange) =>
    withFile(exchange, ({ content }) => {
      const parsed = discoveryShape.safeParse(content)
      if (parsed.success) return null
      const [issue] = parsed.error.issues
      return `${issue?.path.join('.')}: ${issue?.message}`
    }),
  ),
  reads('discovery.private', platforms, (exchange) =>
    withFile(exchange, ({ mode }) => {
      if (mode === null) return notApplicable('this system has no permission bits')
      return mode === ownerOnly ? null : `its mode is ${mode.toString(8)}`
    }),
  ),
]

async function withFile(
  { discovery }: Exchange,
  check: (found: FoundDiscovery) => Finding,
): Promise<Finding> {
  return discovery === null ? notApplicable('the service was named by its address') : check(discovery)
}
