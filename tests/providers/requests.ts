import {
  type OptionValues,
  type ProviderData,
  type ProviderQuestion,
  type ProviderStep,
  protocols,
} from '#providers'

/** Answers that lead from the first request of a job to the last one, which has the text. */
const answers: Partial<Readonly<Record<ProviderData['protocol'], readonly unknown[]>>> = {
  assemblyai: [{ upload_url: 'https://cdn.example/1' }, { id: 'j', status: 'queued' }],
  speechmatics: [{ id: 'j' }, { job: { status: 'done' } }],
  gladia: [{ audio_url: 'https://cdn.example/1' }, { id: 'j' }],
  azure: [
    {},
    { self: 'https://x.example/speechtotext/transcriptions/j?api-version=2024-11-15' },
    { status: 'Succeeded' },
    { values: [{ kind: 'Transcription', links: { contentUrl: 'https://x.example/1' } }] },
  ],
  aws: [
    {},
    { TranscriptionJob: { TranscriptionJobStatus: 'QUEUED' } },
    { TranscriptionJob: { TranscriptionJobStatus: 'COMPLETED', LanguageCode: 'en-US' } },
  ],
}

type Asked = Partial<Pick<ProviderQuestion, 'model' | 'language' | 'timestamps'>> & {
  readonly options?: OptionValues
}

/** Every request that a provider gets for a recording, in their order. */
export function requestsOf(
  { protocol, languages }: ProviderData,
  { model = 'm', language = null, timestamps = [], options = {} }: Asked = {},
): readonly ProviderStep[] {
  const storage = { url: 'https://storage.example/c?sig=1', bucket: 'b' }
  const question = { model, language, languages, timestamps, options }
  const steps = [protocols[protocol].start(question, { id: 'job', storage })]
  for (const answer of answers[protocol] ?? []) {
    const progress = steps.at(-1)?.read(answer)
    if (progress?.kind !== 'next') throw new TypeError(`${protocol} goes no further`)
    steps.push(progress.step)
  }
  return steps
}
