import type { BoardRow, CorrectionRequest, PageCorrection, ServedPage } from '#reports/page'
import { untilNextTurn } from './stages.ts'
import type { UtterancesProps } from './utterances/utterances.tsx'

const keyName = 'transcribench-tab'

/** An error of the server, with messages for the user. */
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
 * Requests the data of this tab. The link contains a token that works once. It is exchanged for a key that stays in
 * this tab, so that other tabs and pages have no access.
 */
export async function openSession(): Promise<ServedPage> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) {
    history.replaceState(null, '', location.pathname + location.search)
    const { key } = await fetchAnswer<{ readonly key: string }>('/session', { token })
    sessionStorage.setItem(keyName, key)
  }
  return await fetchAnswer<ServedPage>(`/document${location.search}`)
}

export function sendCorrection(request: CorrectionRequest): Promise<PageCorrection> {
  return fetchAnswer<PageCorrection>('/corrections', request)
}

/** The board with all corrections and with intervals: the figures of `transcribench score`. */
export function askBoard(): Promise<readonly BoardRow[]> {
  return fetchAnswer<readonly BoardRow[]>('/board')
}

/** The key of this tab for requests of recordings, because an audio element cannot send headers. */
function tabKey(): string {
  return sessionStorage.getItem(keyName) ?? ''
}

async function fetchAnswer<Answer>(path: string, body?: unknown): Promise<Answer> {
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

const readSize = 250

/** Reads the rows like an embedded page does, with addresses of recordings that this tab is authorised to load. */
export function reader({ rows }: ServedPage): UtterancesProps['read'] {
  const key = encodeURIComponent(tabKey())
  return async (onPart) => {
    const turn = untilNextTurn()
    for (let start = 0; start < rows.length; start += readSize) {
      onPart(
        rows
          .slice(start, start + readSize)
          .map((row) => (row.audio === null ? row : { ...row, audio: `${row.audio}?key=${key}` })),
      )
      await turn()
    }
  }
}
