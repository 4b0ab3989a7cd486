import { freemem } from 'node:os'
import type { LoadedServer } from '#capacity'
import type { Sender } from '#run'
import { type FreshInput, withFresh } from './fresh-target.ts'
import type { LoadedTarget } from './loaded-target.ts'

/** Copies of the measured server, itself among them, each of which is sent one request at a time. */
export interface Copies {
  readonly count: number
  /** As many in flight as there are copies are one on each. */
  readonly server: LoadedServer
}

/** More would take longer to start than they are worth. */
const mostCopies = 8
/** Of the memory that is free, what copies may take. */
const memoryShare = 0.5

/**
 * Numbers of copies to try: doubled up to the processors. None where the server works on as many at once as there are
 * processors, or memory is short.
 *
 * @param workers of the server; null where nobody set them
 * @param residentBytes of the server; null where nobody can see it
 */
export function copyCounts(
  { workers, processors }: { readonly workers: number | null; readonly processors: number },
  residentBytes: number | null,
  freeBytes: number = freemem(),
): readonly number[] {
  if (workers === null || workers >= processors) return []
  const affordable =
    residentBytes === null ? mostCopies : 1 + Math.floor((memoryShare * freeBytes) / residentBytes)
  const most = Math.min(processors, mostCopies, affordable)
  return [...new Set([2, 4, 8, most])].filter((count) => count >= 2 && count <= most).sort((a, b) => a - b)
}

/** Long enough that the model is there before anything is measured. */
const warmUpSeconds = 1

/** Starts copies, loads their models, does the work with them, and stops them. */
export async function withCopies<Value>(
  input: FreshInput,
  {
    server,
    own,
    counts,
  }: { readonly server: LoadedTarget; readonly own: Sender; readonly counts: readonly number[] },
  work: (copies: readonly Copies[]) => Promise<Value>,
): Promise<Value> {
  const { spent, config } = input
  const warmUp = { kind: 'closed', inFlight: 1, forSeconds: warmUpSeconds, seed: config.seed } as const
  const most = counts.at(-1) ?? 1
  const withMore = (senders: readonly Sender[]): Promise<Value> => {
    if (senders.length >= most)
      return work(
        counts.map((count) => ({ count, server: server.through(oneEach(senders.slice(0, count))) })),
      )
    return withFresh(input, async (sender) => {
      await spent.aside(() => server.through(sender).measure(warmUp))
      return await withMore([...senders, sender])
    })
  }
  return await withMore([own])
}

/** Sends each request to a server that has none; with more in flight than there are servers, to the first. */
export function oneEach(senders: readonly Sender[]): Sender {
  const [first] = senders
  if (first === undefined) throw new TypeError('there is a server')
  const free = [...senders]
  return {
    baseUrl: first.baseUrl,
    audioSeconds: (request) => first.audioSeconds(request),
    // Each server has its own, and it is not known before which of them is free.
    modeId: () => null,
    async send(request, call) {
      const sender = free.shift()
      if (sender === undefined) return await first.send(request, call)
      try {
        return await sender.send(request, call)
      } finally {
        free.push(sender)
      }
    },
    isAlive: () => first.isAlive(),
  }
}
