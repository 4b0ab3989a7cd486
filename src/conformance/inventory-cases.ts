import { z } from 'zod'
import { platforms } from '#contract'
import { ask, objectOf, objectsOf, type Reply } from '../ask.ts'
import { broken, type ConformanceCase, judge, notApplicable, reads, writes } from '../conformance-case.ts'
import type { Exchange } from '../exchange.ts'
import { expectAnswer, expectRefusal, expectSame, expectShape } from '../expect-reply.ts'
import { healthShape, localModelsShape, modelShape, providerShapes } from '../shapes.ts'
import { inTurn } from './access.ts'

/** `GET /health` and `GET /models`: what the service says it has. */
export const inventoryCases: readonly ConformanceCase[] = [
  reads('health.shape', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/health')
    return judge(expectShape(reply, healthShape, reply.json))
  }),
  reads('health.port', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/health')
    return judge(expectSame(reply, 'port', reply.json['port'], exchange.port))
  }),
  reads('health.providers', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/health')
    return judge(expectShape(reply, providerShapes, reply.json))
  }),
  reads('health.local-models', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/health')
    return judge(expectShape(reply, localModelsShape, reply.json['local_models'], 'local_models'))
  }),

  reads('models.shape', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/models')
    const shape = z.looseObject({ ok: z.literal(true), models: z.array(modelShape) })
    return judge(expectShape(reply, shape, reply.json))
  }),
  reads('models.filter', platforms, async (exchange) => {
    const all = await ask(exchange, 'GET', '/models')
    const every = idsOf(all)
    return judge(
      await inTurn(['voice', 'text', 'all'], async (kind) => {
        const reply = await ask(exchange, 'GET', `/models?kind=${kind}`)
        const due = modelsOf(all).filter((model) => kind === 'all' || model['kind'] === kind)
        return (
          expectAnswer(reply, 'listModels') ??
          expectSame(reply, 'the list', idsOf(reply), kind === 'all' ? every : due.map(({ id }) => id))
        )
      }),
    )
  }),
  writes('models.text', platforms, async (exchange) => {
    const json = { text: 'hello world', prompt: 'Repeat the text as it is.' }
    const edited = await ask(exchange, 'POST', '/post-process', { json })
    if (edited.json['post_processed'] !== true) return notApplicable('no language model edits a text')
    const reply = await ask(exchange, 'GET', '/models?kind=text')
    const texts = modelsOf(reply).filter(({ kind }) => kind === 'text')
    const inventories = objectOf((await ask(exchange, 'GET', '/health')).json['local_models'])
    const local = inventories['local_llm']
    const listed = objectsOf(local).map(({ id }) => id)
    // That the inventory is there at all is another rule.
    const missing = Array.isArray(local)
      ? texts.filter(({ provider, id }) => provider === 'local' && !listed.includes(id))
      : []
    return judge(
      expectAnswer(reply, 'listModels'),
      texts.length === 0 ? `${reply.asked} lists no model, and POST /post-process has one` : null,
      missing.length === 0 ? null : `local_llm lacks ${missing.map(({ id }) => id).join(', ')}`,
    )
  }),
  reads('models.unknown-kind', platforms, async (exchange) =>
    judge(expectRefusal(await ask(exchange, 'GET', '/models?kind=picture'), 'INVALID_REQUEST')),
  ),
  reads('models.installed-only', platforms, async (exchange) => {
    const all = modelsOf(await ask(exchange, 'GET', '/models'))
    const installed = all.filter((model) => model['installed'] === true)
    const expectations = [
      ...['true', '1', 'yes'].map((value) => ({ value, due: installed })),
      ...['false', '0', 'no', ''].map((value) => ({ value, due: all })),
    ]
    return judge(
      await inTurn(expectations, async ({ value, due }) => {
        const reply = await ask(exchange, 'GET', `/models?installed_only=${value}`)
        return expectSame(
          reply,
          'the list',
          idsOf(reply),
          due.map(({ id }) => id),
        )
      }),
    )
  }),
  reads('models.cloud-installed', platforms, async (exchange) => {
    const cloud = modelsOf(await ask(exchange, 'GET', '/models')).filter(
      ({ provider }) => provider !== 'local',
    )
    if (cloud.length === 0) return notApplicable('no model of a cloud provider is listed')
    const missing = cloud.filter((model) => model['installed'] !== true).map(({ id }) => id)
    return missing.length === 0 ? judge() : broken(`not installed: ${missing.join(', ')}`)
  }),
]

function modelsOf(reply: Reply) {
  return objectsOf(reply.json['models'])
}

function idsOf(reply: Reply): readonly unknown[] {
  return modelsOf(reply).map((model) => model['id'])
}

/** An engine and a model that the service says it can transcribe with at once; null where it has none. */
export async function installedVoice(
  exchange: Exchange,
): Promise<{ readonly engine: string; readonly model: string } | null> {
  const installed = modelsOf(await ask(exchange, 'GET', '/models?kind=voice&installed_only=true')).filter(
    ({ provider }) => provider === 'local',
  )
  const inventories = objectOf((await ask(exchange, 'GET', '/health')).json['local_models'])
  for (const { id: model } of installed) {
    const engine = Object.keys(inventories).find((key) =>
      objectsOf(inventories[key]).some((entry) => entry['id'] === model),
    )
    if (engine !== undefined && typeof model === 'string') return { engine, model }
  }
  return null
}
