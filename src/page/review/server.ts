import type { BoardRow, CorrectionRequest, PageCorrection, ServedPage } from '#reports/page'

const keyName = 'transcribench-tab'

/** What went wrong, for the person in front of the page. */
export class ServerRefusal extends Error {
  readonly problems: readonly string[]
  readonly hint: string

  constructor({ message = '', problems = [], hint = '' }: Refusal) {
    super(message)
    this.problems = problems
    this.hint = hint
  }
}

interface Refusal {
  readonly message?: string
  readonly problems?: readonly string[]
  readonly hint?: string
}

/**
 * Asks the server for what this tab may see. The link that a person opened carries a token that works once; what it
 * is exchanged for stays in this tab, so that another tab, or another page, gets nothing.
 */
export async function openSession(): Promise<ServedPage> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) {
    history.replaceState(null, '', location.pathname + location.search)
    const { key } = await asked<{ readonly key: string }>('/session', { token })
    sessionStorage.setItem(keyName, key)
  }
  return await asked<ServedPage>(`/document${location.search}`)
}

export function sendCorrection(request: CorrectionRequest): Promise<PageCorrection> {
  return asked<PageCorrection>('/corrections', request)
}

/** The board with all corrections, with intervals: what `transcribench score` prints. */
export function askBoard(): Promise<readonly BoardRow[]> {
  return asked<readonly BoardRow[]>('/board')
}

/** The key of this tab, which recordings are asked for with: an audio element cannot send headers. */
export function tabKey(): string {
  return sessionStorage.getItem(keyName) ?? ''
}

async function asked<Answer>(path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'x-transcribench-tab': tabKey(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    credentials: 'same-origin',
  }).catch(() => {
    throw new ServerRefusal({
      message: 'The server does not answer: was transcribench stopped? Nothing that was confirmed is lost.',
    })
  })
  if (response.ok) return (await response.json()) as Answer
  const refusal = (await response.json().catch(() => ({}))) as Refusal
  throw new ServerRefusal({ message: `The server refuses (${response.status}).`, ...refusal })
}
