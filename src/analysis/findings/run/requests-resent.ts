import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

const words: Readonly<Record<string, string>> = {
  closedConnection: 'met a connection that the server had closed since the request before',
  redirect: 'were redirected',
  timestamps: 'were refused for the times that they asked for',
  format: 'were refused for the format that they asked for',
}

/** What the client sent once more by itself, so that it is in no figure but here. */
export const requestsResent = {
  code: 'REQUESTS_RESENT',
  severity: 'note',
  meaning:
    'Some requests were sent once more by themselves, in no latency and in no count of retries: a server may close a connection ' +
    'that it has kept open while the next request is on its way, redirect to another path, or refuse a format of the answer. ' +
    'Such a request counts as what its last sending came to (resentFor in journal.jsonl).',
  detect: ({ scored }) =>
    scored.flatMap(({ resolved: { contender, sendings } }) => {
      const reasons = [...sendings].flatMap(({ resentFor = [] }) => [...new Set(resentFor)])
      if (reasons.length === 0) return []
      const parts = [...Map.groupBy(reasons, (reason) => reason)].map(
        ([reason, those]) => `${counted(those.length, 'request')} ${words[reason] ?? reason}`,
      )
      return [{ message: `${parts.join(', ')}, and went once more to ${contender.id}: in no latency` }]
    }),
} satisfies RunFinding
