import { platforms } from '#contract'
import { ask, type JsonObject, objectOf, type Reply } from '../ask.ts'
import { type ConformanceCase, judge, notApplicable, reads, writes } from '../conformance-case.ts'
import type { Exchange } from '../exchange.ts'
import { describeReply, expectAnswer, expectRefusal, expectSame, expectShape } from '../expect-reply.ts'
import { createMode } from '../modes-of-ours.ts'
import { postProcessedShape } from '../shapes.ts'
import { inTurn, unknownId } from './access.ts'

const text = 'hello world'

/** Refusals that say that this service has no language model to ask. */
const withoutModel = ['MISSING_API_KEY', 'ENGINE_UNAVAILABLE', 'MODEL_NOT_FOUND', 'MODEL_NOT_INSTALLED']

/** `POST /post-process`. */
export const postProcessingCases: readonly ConformanceCase[] = [
  reads('post-processing.text', platforms, (exchange) =>
    refuses(exchange, [
      { prompt: 'Repeat it.' },
      { text: '', prompt: 'Repeat it.' },
      { text: ' \n', preset: 'note' },
    ]),
  ),
  reads('post-processing.instruction', platforms, (exchange) =>
    refuses(exchange, [{ text }, { text, preset: 'note', prompt: 'Repeat it.' }]),
  ),
  reads('post-processing.unknown-mode', platforms, async (exchange) =>
    judge(expectRefusal(await postProcess(exchange, { text, mode_id: unknownId }), 'MODE_NOT_FOUND')),
  ),
  writes('post-processing.mode-off', platforms, async (exchange) => {
    const made = await createMode(exchange, 'post-processing off', { postProcessingMode: 0 })
    if (!made.ok) return made.failure
    return judge(
      expectRefusal(await postProcess(exchange, { text, mode_id: made.value.id }), 'INVALID_REQUEST'),
    )
  }),
  writes('post-processing.answer', platforms, async (exchange) => {
    const reply = await postProcess(exchange, { text, prompt: 'Repeat the text as it is.' })
    const { code } = objectOf(reply.json['error']) as Readonly<Record<'code', unknown>>
    if (withoutModel.some((listed) => listed === code)) {
      return notApplicable(`the service has no language model: ${describeReply(reply)}`)
    }
    return judge(
      expectAnswer(reply, 'postProcess'),
      expectShape(reply, postProcessedShape, reply.json),
      reply.json['post_processed'] === false ? expectSame(reply, 'text', reply.json['text'], text) : null,
    )
  }),
]

function postProcess(exchange: Exchange, json: JsonObject): Promise<Reply> {
  return ask(exchange, 'POST', '/post-process', { json })
}

async function refuses(exchange: Exchange, bodies: readonly JsonObject[]) {
  return judge(
    await inTurn(bodies, async (json) => expectRefusal(await postProcess(exchange, json), 'INVALID_REQUEST')),
  )
}
