import type { OptionValue, OptionValues, ProviderOption } from '#providers/options'
import type { ProviderQuestion, ProviderStep } from '#providers/protocol'
import { protocols } from '#providers/protocols/protocols'
import type { ProviderData } from '#providers/providers'

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

/** A value that an option takes and that nothing else in a request has. */
export function sampleOf({ takes, name }: ProviderOption): OptionValue {
  switch (takes.kind) {
    case 'switch':
      return true
    case 'number':
      return takes.isWhole === true ? Math.min(4711, takes.max) : 0.4711
    case 'text':
      return `sample-${name}`
    case 'texts':
      return [`sample-${name}-1`, `sample-${name}-2`, '.', 'all', 'a_word'].filter(
        (text) => takes.each?.pattern.test(text) !== false,
      )
    case 'choice':
      return takes.of.at(-1) ?? ''
  }
}

/** Everything that a contender can make of a request: each model, option and wish for times, with languages and without. */
export function everyRequest(provider: ProviderData): readonly ProviderStep[] {
  const { codes } = provider.languages ?? protocols[provider.protocol].languages
  const tags = [...codes.map((code) => code.replace('_', '-')), 'nb', 'fil', 'jv', 'iw', 'zh-TW', null]
  const everyTime = protocols[provider.protocol].timestamps
  const steps = provider.models.flatMap(({ id: model }) => [
    ...tags.flatMap((language) => requestsOf(provider, { model, language })),
    ...[null, 'en'].flatMap((language) => requestsOf(provider, { model, language, timestamps: everyTime })),
    ...provider.options
      .filter(({ refusedBy }) => refusedBy?.test(model) !== true)
      .flatMap((option) => requestsOf(provider, { model, options: { [option.name]: sampleOf(option) } })),
  ])
  return steps.flatMap((step) => (step.undo === undefined ? [step] : [step, step.undo]))
}

/** What a request says, by method and path: its query, the fields of its form, or its JSON. Texts have no types there. */
export function contentOf({ method, path, headers, body }: ProviderStep): {
  readonly key: string
  readonly content: Readonly<Record<string, unknown>> | null
  readonly isText: boolean
} {
  const [pathname = '', query] = path.split('?')
  const key = headers?.['x-amz-target'] ?? `${method} ${pathname}`
  if (body.kind === 'json')
    return { key, content: body.value as Readonly<Record<string, unknown>>, isText: false }
  if (body.kind === 'base64') return { key, content: JSON.parse(body.head + body.tail), isText: false }
  if (body.kind === 'form') {
    const json = body.fields.find(([name]) => name === 'config' || name === 'definition')
    if (json !== undefined) return { key, content: JSON.parse(json[1]), isText: false }
    return { key, content: valuesOf([...body.fields, [body.file, 'audio']]), isText: true }
  }
  return {
    key,
    content: query === undefined ? null : valuesOf([...new URLSearchParams(query)]),
    isText: true,
  }
}

/** A repeated name is a list; servers of the OpenAI protocol write its name with brackets. */
function valuesOf(pairs: readonly (readonly [string, string])[]): Readonly<Record<string, unknown>> {
  const named = Map.groupBy(pairs, ([name]) => name.replace('[]', ''))
  return Object.fromEntries(
    [...named].map(([name, own]) => [name, own.length === 1 ? own[0]?.[1] : own.map(([, value]) => value)]),
  )
}
