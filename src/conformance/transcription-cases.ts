import { z } from 'zod'
import { type Platform, platforms } from '#contract/enums'
import { formFrame } from '#contract/transcription'
import { inOnePiece } from './access-cases.ts'
import {
  ask,
  asObject,
  asObjects,
  type ConformanceCase,
  type Exchange,
  except,
  type Fault,
  type Finding,
  inTurn,
  type JsonObject,
  notApplicable,
  type Reply,
  reads,
  unknownId,
  writes,
} from './conformance-case.ts'
import {
  createMode,
  describeReply,
  expectAnswer,
  expectNoSuccess,
  expectRefusal,
  expectSame,
  expectShape,
  listModes,
  postProcessedShape,
  transcriptionShape,
} from './expect-reply.ts'
import { installedVoice } from './inventory-cases.ts'
import type { RuleId } from './rules.ts'

/** Cases about `POST /transcribe`, apart from files and limits. */
export const transcriptionCases: readonly ConformanceCase[] = [
  transcribes('transcription.answer', platforms, async (exchange, voice) => {
    const reply = await transcribe(exchange, { ...spoken(exchange), ...voice })
    return [
      expectAnswer(reply, 'transcribe'),
      expectShape(reply, transcriptionShape, reply.json),
      expectSame(reply, 'model', reply.json['model'], voice.model),
    ]
  }),
  transcribes('transcription.speech', platforms, async (exchange, voice) => {
    if (!exchange.audio.isSpeech) return notApplicable('no speech is here: transcribench corpus fetch quick')
    const reply = await transcribe(exchange, { ...spoken(exchange), ...voice })
    const hasWords = /[\p{L}\p{N}]/u.test(String(reply.json['text'] ?? ''))
    return [
      expectAnswer(reply, 'transcribe'),
      hasWords ? null : `${describeReply(reply)}; the words of a sentence were due`,
    ]
  }),
  transcribes('transcription.mode', platforms, async (exchange, { model }) => {
    const created = await createMode(exchange, 'transcribes', { model, language: 'auto' })
    if (!created.ok) return created.failure
    const byMode = { ...spoken(exchange), mode_id: created.value.id }
    const reply = await transcribe(exchange, byMode)
    return [
      expectAnswer(reply, 'transcribe'),
      expectSame(reply, 'model', reply.json['model'], model),
      expectAnswer(await transcribe(exchange, { ...byMode, language: 'auto' }), 'transcribe'),
      expectRefusal(await transcribe(exchange, { ...byMode, model: 'no-such-model' }), 'MODEL_NOT_FOUND'),
    ]
  }),
  transcribes('transcription.timestamps', platforms, async (exchange, voice) => {
    const plain = await transcribe(exchange, { ...spoken(exchange), ...voice })
    const timed = await transcribe(exchange, {
      ...spoken(exchange),
      ...voice,
      timestamp_granularities: ['segment', 'word'],
    })
    const unasked = ['segments', 'words'].filter((field) => Object.hasOwn(plain.json, field))
    return [
      expectAnswer(plain, 'transcribe'),
      unasked.length === 0 ? null : `${plain.request}: ${unasked.join(' and ')} came without being asked for`,
      expectAnswer(timed, 'transcribe'),
      expectInOrder(timed, 'segments'),
      expectInOrder(timed, 'words'),
    ]
  }),
  transcribes('transcription.raw-text', platforms, async (exchange, voice) => {
    const request = { ...spoken(exchange), ...voice }
    const plain = await transcribe(exchange, request)
    const raw = await transcribe(exchange, { ...request, raw_text: true })
    return [
      expectAnswer(plain, 'transcribe'),
      Object.hasOwn(plain.json, 'raw_text')
        ? `${plain.request}: raw_text came without being asked for`
        : null,
      expectAnswer(raw, 'transcribe'),
    ]
  }),
  transcribes('transcription.language', platforms, async (exchange, voice) => {
    const request = { ...spoken(exchange), ...voice }
    const malformed = await transcribe(exchange, { ...request, language: 'not a language' })
    return [
      expectRefusal(malformed, 'INVALID_REQUEST'),
      await inTurn(rareLanguages, async (language) => {
        const reply = await transcribe(exchange, { ...request, language })
        return reply.json['ok'] === true
          ? expectLanguage(reply, language)
          : expectRefusal(reply, 'INVALID_REQUEST')
      }),
    ]
  }),
  reads('transcription.one-audio', platforms, async (exchange) => {
    const [mode] = await listModes(exchange)
    const mode_id = mode?.['id'] ?? unknownId
    const both = { ...spoken(exchange), file: exchange.outside.missing, mode_id }
    return [
      expectRefusal(await transcribe(exchange, both), 'INVALID_REQUEST'),
      expectRefusal(await transcribe(exchange, { mode_id }), 'INVALID_REQUEST'),
    ]
  }),
  reads('transcription.mode-or-engine', platforms, async (exchange) =>
    expectRefusal(await transcribe(exchange, spoken(exchange)), 'INVALID_REQUEST'),
  ),
  reads('transcription.unknown-engine', platforms, async (exchange) => {
    const named = { engine: 'no-such-engine', model: 'no-such-model' }
    return expectRefusal(await transcribe(exchange, { ...spoken(exchange), ...named }), 'ENGINE_UNAVAILABLE')
  }),
  reads('transcription.unknown-model', platforms, async (exchange) => {
    const [listed] = await localModels(exchange)
    if (listed === undefined) return notApplicable('no local engine is listed')
    const named = { engine: listed.engine, model: 'no-such-model' }
    return expectRefusal(await transcribe(exchange, { ...spoken(exchange), ...named }), 'MODEL_NOT_FOUND')
  }),
  reads('transcription.not-installed', platforms, async (exchange) => {
    const absent = (await localModels(exchange)).find(({ installed }) => !installed)
    if (absent === undefined) return notApplicable('every local model is installed')
    const { engine, model } = absent
    return expectRefusal(
      await transcribe(exchange, { ...spoken(exchange), engine, model }),
      'MODEL_NOT_INSTALLED',
    )
  }),
  reads('transcription.unknown-mode', platforms, async (exchange) => {
    const named = (mode_id: string) => transcribe(exchange, { ...spoken(exchange), mode_id })
    return [
      expectRefusal(await named(unknownId), 'MODE_NOT_FOUND'),
      expectRefusal(await named('not-a-uuid'), 'INVALID_REQUEST'),
    ]
  }),
  reads('transcription.missing-key', platforms, async (exchange) => {
    const { providers, listed } = await providersWithoutKey(exchange)
    const [engine] = providers
    if (engine === undefined) return notApplicable('every provider has a key')
    const request = { ...spoken(exchange), ...(listed ?? { engine, model: 'no-such-model' }) }
    const due = ['MISSING_API_KEY', ...(listed === null ? ['MODEL_NOT_FOUND' as const] : [])] as const
    return expectRefusal(await transcribe(exchange, request), due)
  }),
  transcribes('transcription.undecodable', platforms, async (exchange, voice) => {
    const { audio, base64 } = exchange
    const texts = [
      base64(new TextEncoder().encode('this is no audio, '.repeat(40))),
      '*** ***',
      base64(audio.empty),
    ]
    return await inTurn(texts, async (audio_base64) =>
      expectRefusal(await transcribe(exchange, { ...wav, audio_base64, ...voice }), 'AUDIO_DECODE_FAILED'),
    )
  }),
  transcribes('transcription.multipart', ['linux'], async (exchange, voice) =>
    expectAnswer(await sendParts(exchange, voice), 'transcribe'),
  ),
  transcribes('transcription.no-multipart', except('linux'), async (exchange, voice) =>
    expectNoSuccess(await sendParts(exchange, voice)),
  ),
]

/** Languages that few models support, and that are no dialects of others. */
const rareLanguages = ['tlh', 'gv']

/** Expects the language that was requested; null is accepted, because some engines do not report a language. */
function expectLanguage(reply: Reply, due: string): Fault {
  const { language } = reply.json as Readonly<Record<'language', unknown>>
  const isRight = language === null || (typeof language === 'string' && language.split('-')[0] === due)
  return isRight ? null : `${reply.request}: ok with the language ${language}, where ${due} was asked for`
}

const wav = { mime_type: 'audio/wav' }

export function transcribe(exchange: Exchange, json: JsonObject): Promise<Reply> {
  return ask(exchange, 'POST', '/transcribe', { json })
}

function spoken({ audio, base64 }: Exchange): JsonObject {
  return { ...wav, audio_base64: base64(audio.second) }
}

type Voice = NonNullable<Awaited<ReturnType<typeof installedVoice>>>

/** A case that transcribes audio with an installed model. */
export function transcribes(
  rule: RuleId,
  on: readonly Platform[],
  check: (exchange: Exchange, voice: Voice) => Promise<Finding>,
): ConformanceCase {
  return writes(rule, on, (exchange) => withVoice(exchange, (voice) => check(exchange, voice)))
}

/** Runs a check that needs an installed model. */
export async function withVoice(
  exchange: Exchange,
  check: (voice: Voice) => Promise<Finding>,
): Promise<Finding> {
  const voice = await installedVoice(exchange)
  return voice === null ? notApplicable('no local model is installed') : check(voice)
}

function sendParts(exchange: Exchange, voice: Readonly<Record<string, string>>): Promise<Reply> {
  const { head, tail, contentType } = multipartFrame(voice)
  const body = inOnePiece([head, exchange.audio.second, tail])
  return ask(exchange, 'POST', '/transcribe', { body, headers: { 'content-type': contentType } })
}

interface LocalModel {
  readonly engine: string
  readonly model: unknown
  readonly installed: boolean
}

/** The voice models in the health snapshot, with their engines. */
async function localModels(exchange: Exchange): Promise<readonly LocalModel[]> {
  const inventories = asObject((await ask(exchange, 'GET', '/health')).json['local_models'])
  return Object.entries(inventories)
    .filter(([engine]) => engine !== 'local_llm')
    .flatMap(([engine, models]) =>
      asObjects(models).map(({ id, installed }) => ({ engine, model: id, installed: installed === true })),
    )
}

/** Providers without a key, and a model of one of them if the server lists such models. */
async function providersWithoutKey(exchange: Exchange) {
  const all = asObjects((await ask(exchange, 'GET', '/health')).json['providers'])
  const models = asObjects((await ask(exchange, 'GET', '/models?kind=voice')).json['models'])
  const providers = all.filter((provider) => provider['key_present'] === false).map(({ id }) => id)
  const model = models.find(({ provider }) => providers.includes(provider))
  return { providers, listed: model === undefined ? null : { engine: model['provider'], model: model['id'] } }
}

/** Maximum time in seconds in a second of sound: engines that pad it return later times, but below a minute. */
const latestSeconds = 60

const timed = z
  .array(z.looseObject({ start: z.number().min(0), end: z.number() }))
  .refine(
    (spans) =>
      spans.every(({ start, end }, index) => start <= end && start >= (spans[index - 1]?.start ?? 0)),
    { message: 'not in order of time' },
  )
  .refine((spans) => spans.every(({ end }) => end <= latestSeconds), {
    message: 'not in seconds: a second of sound was sent',
  })
const texts = {
  segments: z.array(z.looseObject({ id: z.int(), text: z.string() })),
  words: z.array(z.looseObject({ word: z.string() })),
}

/** Expects valid, ordered times; an engine without times omits the field. */
function expectInOrder(reply: Reply, field: keyof typeof texts): Fault {
  const spans = reply.json[field]
  if (spans === undefined) return null
  return expectShape(reply, timed, spans, field) ?? expectShape(reply, texts[field], spans, field)
}

/** The bytes of a form before and after its audio. */
export function multipartFrame(fields: Readonly<Record<string, string>>) {
  const file = { name: 'audio', fileName: 'tone.wav', mimeType: 'audio/wav' }
  // A fixed boundary, which occurs in none of the parts.
  const { head, tail, contentType } = formFrame('transcribench-7b0c5c1d3f', Object.entries(fields), file)
  const utf8 = new TextEncoder()
  return { head: utf8.encode(head), tail: utf8.encode(tail), contentType }
}

const text = 'hello world'

/** Codes of refusals by a service without a language model. */
const withoutModel = ['MISSING_API_KEY', 'ENGINE_UNAVAILABLE', 'MODEL_NOT_FOUND', 'MODEL_NOT_INSTALLED']

/** Cases about `POST /post-process`. */
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
    expectRefusal(await postProcess(exchange, { text, mode_id: unknownId }), 'MODE_NOT_FOUND'),
  ),
  writes('post-processing.mode-off', platforms, async (exchange) => {
    const created = await createMode(exchange, 'post-processing off', { postProcessingMode: 0 })
    if (!created.ok) return created.failure
    return expectRefusal(await postProcess(exchange, { text, mode_id: created.value.id }), 'INVALID_REQUEST')
  }),
  writes('post-processing.answer', platforms, async (exchange) => {
    const reply = await postProcess(exchange, { text, prompt: 'Repeat the text as it is.' })
    const { code } = asObject(reply.json['error']) as Readonly<Record<'code', unknown>>
    if (withoutModel.some((listed) => listed === code)) {
      return notApplicable(`the service has no language model: ${describeReply(reply)}`)
    }
    return [
      expectAnswer(reply, 'postProcess'),
      expectShape(reply, postProcessedShape, reply.json),
      reply.json['post_processed'] === false ? expectSame(reply, 'text', reply.json['text'], text) : null,
    ]
  }),
]

function postProcess(exchange: Exchange, json: JsonObject): Promise<Reply> {
  return ask(exchange, 'POST', '/post-process', { json })
}

async function refuses(exchange: Exchange, bodies: readonly JsonObject[]) {
  return await inTurn(bodies, async (json) =>
    expectRefusal(await postProcess(exchange, json), 'INVALID_REQUEST'),
  )
}
