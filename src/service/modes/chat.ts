import { z } from 'zod'
import { failed, type Outcome, parseJson, succeeded } from '#prelude'
import { addressBelow } from '#providers/protocol'
import { askProvider, type Outbound } from '../engines/provider-exchange.ts'

/** The reason why a provider did not answer; contains neither the key nor text of the user. */
export interface ChatFailure {
  readonly kind: 'unreachable' | 'unauthorized' | 'refused' | 'malformed'
  readonly reason: string
}

const completion = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })).min(1),
})
const modelList = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) })

/** Sends one chat request to a provider. @returns its text, trimmed, never empty */
export async function askChat(
  outbound: Outbound,
  provider: ChatProvider,
  question: { readonly model: string | null; readonly instructions: string; readonly text: string },
  signal: AbortSignal,
): Promise<Outcome<string, ChatFailure>> {
  const { model, instructions, text } = question
  const messages = [
    { role: 'system', content: instructions },
    { role: 'user', content: text },
  ]
  const body = JSON.stringify({
    ...(model === null ? {} : { model }),
    messages,
    temperature: 0,
    stream: false,
  })
  const answer = await exchange(outbound, provider, '/chat/completions', { method: 'POST', body, signal })
  if (!answer.ok) return answer
  const parsed = completion.safeParse(answer.value)
  const said = withoutThoughts(parsed.data?.choices[0]?.message.content ?? '')
  return said === '' ? failed({ kind: 'malformed', reason: 'its answer has no text' }) : succeeded(said)
}

/** The models that a provider lists; the request also shows whether it is reachable and accepts the key. */
export async function listChatModels(
  outbound: Outbound,
  provider: ChatProvider,
  signal: AbortSignal,
): Promise<Outcome<readonly string[], ChatFailure>> {
  const answer = await exchange(outbound, provider, '/models', { method: 'GET', signal })
  if (!answer.ok) return answer
  const parsed = modelList.safeParse(answer.value)
  return succeeded(parsed.success ? parsed.data.data.map(({ id }) => id) : [])
}

async function exchange(
  outbound: Outbound,
  { baseUrl, apiKey }: ChatProvider,
  path: string,
  { method, body, signal }: { method: 'GET' | 'POST'; body?: string; signal: AbortSignal },
): Promise<Outcome<unknown, ChatFailure>> {
  const headers = {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  const url = addressBelow(baseUrl, path).href
  const request = { method, url, headers, body: body === undefined ? null : [Buffer.from(body)] }
  const reply = await askProvider(outbound, request, { signal, timeout: signal })
  switch (reply.kind) {
    case 'unreachable':
      return failed(reply)
    case 'cut':
      return failed({ kind: 'unreachable', reason: 'its answer broke off' })
    case 'abandoned':
    case 'timedOut':
      return failed({ kind: 'unreachable', reason: 'no answer in time' })
    case 'endless':
      return failed({ kind: 'malformed', reason: 'its answer is too long' })
    case 'answered': {
      const { statusCode, text } = reply
      const isSuccess = statusCode >= 200 && statusCode <= 299
      const kind = statusCode === 401 || statusCode === 403 ? 'unauthorized' : 'refused'
      if (!isSuccess) return failed({ kind, reason: `HTTP ${statusCode}` })
      const answer = parseJson(text)
      return answer === undefined
        ? failed({ kind: 'malformed', reason: 'its answer is not JSON' })
        : succeeded(answer)
    }
  }
}

/** Removes the reasoning that some local models prepend to their answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim()
}

/** A provider with the OpenAI chat protocol: `POST {baseUrl}/chat/completions`. */
export interface ChatProvider {
  readonly id: string
  readonly displayName: string
  readonly kind: 'cloud' | 'local'
  /** Base address without a trailing slash. */
  readonly baseUrl: string
  /** Null for a provider without a key, or whose key is missing. */
  readonly apiKey: string | null
  readonly needsKey: boolean
  /** Default model; null selects the first one that the provider lists. */
  readonly model: string | null
}

/**
 * Providers in order of preference. The environment overrides address, key and model: `OPENAI_BASE_URL`,
 * `OPENAI_API_KEY`, `OPENAI_CHAT_MODEL`, and so on for each id. `custom` is for any other server, and needs
 * an address. Local addresses are the defaults of Ollama, llama.cpp's server and LM Studio.
 */
const listed: readonly (readonly [
  id: string,
  displayName: string,
  kind: ChatProvider['kind'],
  baseUrl: string,
  model: string | null,
])[] = [
  // OpenAI shuts gpt-4o-mini down on 2027-01-14.
  ['openai', 'OpenAI', 'cloud', 'https://api.openai.com/v1', 'gpt-4.1-mini'],
  ['groq', 'Groq', 'cloud', 'https://api.groq.com/openai/v1', 'llama-3.3-70b-versatile'],
  ['mistral', 'Mistral', 'cloud', 'https://api.mistral.ai/v1', 'mistral-small-latest'],
  ['openrouter', 'OpenRouter', 'cloud', 'https://openrouter.ai/api/v1', 'openrouter/auto'],
  ['ollama', 'Ollama', 'local', 'http://127.0.0.1:11434/v1', null],
  ['llamacpp', 'llama.cpp', 'local', 'http://127.0.0.1:8080/v1', null],
  ['lmstudio', 'LM Studio', 'local', 'http://127.0.0.1:1234/v1', null],
  ['custom', 'Custom', 'local', '', null],
]

type Environment = Readonly<Record<string, string | undefined>>

/** The providers with the settings of the environment; those without an address are omitted. */
export function readChatProviders(env: Environment): readonly ChatProvider[] {
  return listed
    .map(([id, displayName, kind, baseUrl, model]) => {
      const setting = (name: string): string | null => env[`${id.toUpperCase()}_${name}`]?.trim() || null
      return {
        id,
        displayName,
        kind,
        baseUrl: (setting('BASE_URL') ?? baseUrl).replace(/\/+$/, ''),
        apiKey: setting('API_KEY'),
        needsKey: kind === 'cloud',
        model: setting('CHAT_MODEL') ?? model,
      }
    })
    .filter(({ baseUrl }) => /^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl))
}

export function hasItsKey({ apiKey, needsKey }: ChatProvider): boolean {
  return apiKey !== null || !needsKey
}
