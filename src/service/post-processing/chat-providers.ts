/** Who speaks the OpenAI chat protocol: `POST {baseUrl}/chat/completions`. */
export interface ChatProvider {
  readonly id: string
  readonly displayName: string
  readonly kind: 'cloud' | 'local'
  /** Ends without a slash. */
  readonly baseUrl: string
  /** Null for one that has none, or whose key is not there. */
  readonly apiKey: string | null
  readonly needsKey: boolean
  /** Default model; null: the first that the provider lists. */
  readonly model: string | null
}

type ListedProvider = Pick<ChatProvider, 'id' | 'displayName' | 'kind' | 'baseUrl' | 'model'>

/**
 * Providers in the order in which they are chosen. Each one's address, key and model come from the environment:
 * `OPENAI_BASE_URL`, `OPENAI_API_KEY`, `OPENAI_CHAT_MODEL`, and so on with each id in capitals. `custom` is
 * there for any other server, and only with an address. Addresses as the providers document them; the local
 * ones are where Ollama, llama.cpp's server and LM Studio listen by default.
 */
const listed: readonly ListedProvider[] = [
  {
    id: 'openai',
    displayName: 'OpenAI',
    kind: 'cloud',
    baseUrl: 'https://api.openai.com/v1',
    // gpt-4o-mini is shut down on 2027-01-14.
    model: 'gpt-4.1-mini',
  },
  {
    id: 'groq',
    displayName: 'Groq',
    kind: 'cloud',
    baseUrl: 'https://api.groq.com/openai/v1',
    model: 'llama-3.3-70b-versatile',
  },
  {
    id: 'mistral',
    displayName: 'Mistral',
    kind: 'cloud',
    baseUrl: 'https://api.mistral.ai/v1',
    model: 'mistral-small-latest',
  },
  {
    id: 'openrouter',
    displayName: 'OpenRouter',
    kind: 'cloud',
    baseUrl: 'https://openrouter.ai/api/v1',
    model: 'openrouter/auto',
  },
  { id: 'ollama', displayName: 'Ollama', kind: 'local', baseUrl: 'http://127.0.0.1:11434/v1', model: null },
  {
    id: 'llamacpp',
    displayName: 'llama.cpp',
    kind: 'local',
    baseUrl: 'http://127.0.0.1:8080/v1',
    model: null,
  },
  {
    id: 'lmstudio',
    displayName: 'LM Studio',
    kind: 'local',
    baseUrl: 'http://127.0.0.1:1234/v1',
    model: null,
  },
  { id: 'custom', displayName: 'Custom', kind: 'local', baseUrl: '', model: null },
]

type Environment = Readonly<Record<string, string | undefined>>

/** The providers as the environment has them. */
export function readChatProviders(env: Environment): readonly ChatProvider[] {
  return listed
    .map(({ id, displayName, kind, baseUrl, model }) => {
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
    .filter(({ baseUrl }) => /^https?:\/\//i.test(baseUrl))
}

export function hasItsKey({ apiKey, needsKey }: ChatProvider): boolean {
  return apiKey !== null || !needsKey
}
