import type { IncomingMessage } from 'node:http'

export const behaviours = ['answers', 'slow', 'limited', 'odd', 'unauthorized', 'quota', 'failing'] as const

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly form: FormData | null
  readonly json: { readonly [key: string]: unknown } | null
  readonly bytes: number
  readonly body: Buffer
  readonly url: URL
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Recordings that were put into a storage and not removed. */
export const stored = new Set<string>()

/** How each says who asks, what a request is for, and what it answers. */
export interface Documented {
  /** @see the page that documents it */
  readonly see: string
  keyOf(asked: Asked): string | undefined
  /** The model of a request that begins a transcription; null for every other request. */
  modelOf(asked: Asked): string | null
  /** The answer to a request that is no refusal; `model` of the job that it belongs to. */
  answer(asked: Asked, model: string | null, text: string): Answer | null
  readonly refusals: Readonly<Record<'unauthorized' | 'limited' | 'quota', Answer>>
}

/** Jobs of those who take them: how often each was asked for. */
export const jobs = new Map<string, { readonly model: string; asked: number }>()
export const newJob = (model: string): string => {
  const id = `job-${jobs.size + 1}`
  jobs.set(id, { model, asked: 0 })
  return id
}
/** A job is not done when it is first asked for; one that is slow takes longer. */
export const isDone = (id: string): boolean => {
  const job = jobs.get(id)
  if (job === undefined) return false
  job.asked += 1
  return job.asked > (job.model === 'slow' ? 2 : 1)
}
export const modelOfJob = (id: string): string => jobs.get(id)?.model ?? ''
