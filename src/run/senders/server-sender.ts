import type { ServerResult, TranscriptionServer } from '#client'
import type { VerifiedUtterance } from '#corpus'
import type { RecordedContender } from '#journal'
import { succeeded } from '#prelude'
import { timesOf, timestampsFor } from './answer-times.ts'
import type { Sender, Sent } from './sender.ts'

export interface ServerSending {
  readonly server: Pick<TranscriptionServer, 'baseUrl' | 'listModels' | 'transcribe'>
  readonly utterances: readonly VerifiedUtterance[]
  readonly contenders: readonly Pick<
    RecordedContender,
    'id' | 'model' | 'language' | 'options' | 'defaultOptions'
  >[]
}

/** Sends utterances to a server of `/v1/audio/transcriptions`, which has models and no Modes. */
export function serverSender({ server, utterances, contenders }: ServerSending): Sender {
  const contenderById = new Map(contenders.map((contender) => [contender.id, contender]))
  const utteranceById = new Map(utterances.map((utterance) => [utterance.id, utterance]))
  const utteranceOf = (id: string): VerifiedUtterance => {
    const utterance = utteranceById.get(id)
    if (utterance === undefined) throw new TypeError(`${id} is not in the plan`)
    return utterance
  }
  return {
    baseUrl: server.baseUrl,
    audioSeconds: ({ utteranceId }) => utteranceOf(utteranceId).durationSeconds,
    modeId: () => null,
    async send({ contenderId, utteranceId }, call) {
      const utterance = utteranceOf(utteranceId)
      const { audioPath: path, sizeBytes, mimeType } = utterance
      const contender = contenderById.get(contenderId)
      const { model = null, language = null } = contender ?? {}
      if (model === null) throw new TypeError(`${contenderId} names no model`)
      const audio = { path, sizeBytes, mimeType }
      const result = await server.transcribe({
        audio,
        model,
        language: language === 'auto' ? null : language,
        timestamps: timestampsFor(utterance),
        options: { ...contender?.defaultOptions, ...contender?.options },
        ...call,
      })
      return { ...result, outcome: answered(result.outcome), transport: 'multipart' }
    },
    // Servers differ in what they answer there; that they answer is enough.
    async isAlive() {
      const listed = await server.listModels()
      if (listed.ok) return true
      const { failure } = listed
      // One that takes the connection and is too busy to answer has not gone.
      return failure.kind === 'timedOut' ? failure.during !== 'connecting' : failure.kind !== 'unreachable'
    },
  }
}

function answered(outcome: ServerResult['outcome']): Sent['outcome'] {
  if (!outcome.ok) return outcome
  const { text, language, processingMs, format } = outcome.value
  return succeeded({
    text,
    rawText: null,
    // Such a server names neither; the contender says what was requested.
    engine: '',
    model: '',
    language,
    serverLoadMs: null,
    serverDecodeMs: null,
    serverLatencyMs: processingMs,
    ...(format === undefined ? {} : { format }),
    ...timesOf(outcome.value),
  })
}
