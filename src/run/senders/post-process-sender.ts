import type { Connection, TimedPostProcess } from '#client'
import type { PostProcessRequest } from '#contract'
import { succeeded } from '#prelude'
import type { Sender, Sent } from './sender.ts'

/** How one contender asks for post-processing: a Mode, or a preset or a prompt, with provider and model. */
export type PostProcessOptions = Omit<PostProcessRequest, 'text'>

export interface PostProcessSending {
  readonly connection: Pick<Connection, 'baseUrl' | 'health' | 'postProcessTimed'>
  /** By utterance id. */
  readonly texts: ReadonlyMap<string, string>
  /** By contender id. */
  readonly options: ReadonlyMap<string, PostProcessOptions>
}

/** Sends texts to `POST /post-process`. */
export function postProcessSender({ connection, texts, options }: PostProcessSending): Sender {
  return {
    get baseUrl() {
      return connection.baseUrl
    },
    audioSeconds: () => 0,
    modeId: ({ contenderId }) => options.get(contenderId)?.mode_id ?? null,
    async send({ contenderId, utteranceId }, call) {
      const text = texts.get(utteranceId)
      const asked = options.get(contenderId)
      if (text === undefined || asked === undefined) throw new TypeError(`${utteranceId} is not in the plan`)
      const result = await connection.postProcessTimed({ request: { ...asked, text }, ...call })
      return { ...result, outcome: answered(result.outcome), transport: 'text' }
    },
    isAlive: async () => (await connection.health()).ok,
  }
}

function answered(outcome: TimedPostProcess['outcome']): Sent['outcome'] {
  if (!outcome.ok) return outcome
  const { text, provider, model, latency_ms, post_processed } = outcome.value
  return succeeded({
    text,
    rawText: null,
    engine: provider ?? '',
    model: model ?? '',
    language: null,
    serverLoadMs: null,
    serverDecodeMs: null,
    serverLatencyMs: latency_ms,
    isPostProcessed: post_processed,
  })
}
