import {
  type Answers,
  type EndpointName,
  endpoints,
  modeDraft,
  modePatch,
  postProcessRequest,
  type RequestFailure,
  timeouts,
} from '#contract'
import type { Outcome } from '#prelude'
import { interpretReply } from '../answer.ts'
import { transcribeOver } from '../transcribe.ts'
import type { Channel } from './channel.ts'
import type { Connection, PostProcessCall, TimedPostProcess } from './connection.ts'
import { type HttpBody, type HttpCall, jsonBody } from './exchange.ts'

/** What a call adds to its row of the endpoint table. */
interface CallDetails {
  readonly id?: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: HttpBody
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

/** For answers that need no engine. */
const shortCallMs = timeouts.clientSeconds * 1000
/** For answers that wait for an engine or a language model: the service gives up first. */
const longCallMs = (timeouts.serviceSeconds + timeouts.clientSeconds) * 1000

/** The API's endpoints as methods over one channel, which is closed with the connection. */
export function connectionOver(channel: Channel): Connection {
  const call = <Name extends EndpointName>(name: Name, details: CallDetails = {}) =>
    callEndpoint(channel, name, details)
  return {
    get baseUrl() {
      return channel.baseUrl
    },
    health: () => call('health'),
    listModels: (filter) =>
      call('listModels', { query: { kind: filter?.kind, installed_only: filter?.installedOnly } }),
    listModes: () => call('listModes'),
    getMode: (id) => call('getMode', { id }),
    createMode: async (draft) => call('createMode', { body: jsonBody(modeDraft.parse(draft)) }),
    patchMode: async (id, patch) => call('patchMode', { id, body: jsonBody(modePatch.parse(patch)) }),
    deleteMode: (id) => call('deleteMode', { id }),
    searchRecordings: (query) => call('searchRecordings', { query: { ...query } }),
    getRecording: (id) => call('getRecording', { id }),
    toggleRecorder: () => call('toggleRecorder', { timeoutMs: longCallMs }),
    cancelRecorder: () => call('cancelRecorder'),
    postProcess: async (request) =>
      call('postProcess', { body: jsonBody(postProcessRequest.parse(request)), timeoutMs: longCallMs }),
    postProcessTimed: (request) => postProcessOver(channel, request),
    transcribe: (request) => transcribeOver(channel, request),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  }
}

async function postProcessOver(channel: Channel, call: PostProcessCall): Promise<TimedPostProcess> {
  const body = jsonBody(postProcessRequest.parse(call.request))
  const details = { body, timeoutMs: call.timeoutMs, signal: call.signal }
  const { exchange, token } = await channel.send(() => httpCall('postProcess', details))
  const { reply, times } = exchange
  const outcome = reply.ok
    ? interpretReply(reply.value, endpoints.postProcess.answer, { token, today: channel.clock.today })
    : reply
  return { outcome, times, bodyBytes: body.sizeBytes }
}

/** One call of any endpoint: its row of the table says how to send it and how to read the answer. */
export async function callEndpoint<Name extends EndpointName>(
  channel: Channel,
  name: Name,
  details: CallDetails,
): Promise<Outcome<Answers[Name], RequestFailure>> {
  const { exchange, token } = await channel.send(() => httpCall(name, details))
  if (!exchange.reply.ok) return exchange.reply
  return interpretReply(exchange.reply.value, endpoints[name].answer, { token, today: channel.clock.today })
}

/** Fills in an endpoint's row: method, path with its id and query, body. */
function httpCall(name: EndpointName, details: CallDetails): HttpCall {
  const { method, path, authenticated } = endpoints[name]
  const filled = details.id === undefined ? path : path.replace(':id', encodeURIComponent(details.id))
  return {
    method,
    path: filled + queryText(details.query ?? {}),
    isAuthenticated: authenticated,
    body: details.body ?? null,
    timeoutMs: details.timeoutMs ?? shortCallMs,
    signal: details.signal,
  }
}

function queryText(query: NonNullable<CallDetails['query']>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}
