import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '#audio/sound-stream'
import { describeFailure, type RequestFailure } from '#contract/failures'
import { readCorpus } from '#corpus/read-corpus'
import { BenchError } from '#prelude'
import type { OpenServer } from './open-server.ts'

/** A recording that is sent to test a model, not to measure it. */
export interface Clip extends AsyncDisposable {
  readonly path: string
  readonly sizeBytes: number
  readonly mimeType: string
  /** Description: "2.1 s of speech". */
  readonly words: string
}

/** The result of sending the clip to a model. */
export interface Trial {
  readonly model: string
  readonly seconds: number
  readonly outcome:
    | { readonly ok: true; readonly text: string; readonly format: string }
    | { readonly ok: false; readonly failure: RequestFailure }
}

/** Timeout of a trial, long enough to load a model for its first request. */
const trialMs = 120_000

/** Sends a clip to a model, once. */
export async function tryModel(
  { server }: Pick<OpenServer, 'server'>,
  model: string,
  audio: Pick<Clip, 'path' | 'sizeBytes' | 'mimeType'>,
): Promise<Trial> {
  const { outcome, times } = await server.transcribe({
    audio,
    model,
    language: null,
    timestamps: [],
    options: {},
    timeoutMs: trialMs,
  })
  const seconds = (times.endedAtMs - times.sentAtMs) / 1000
  if (!outcome.ok) return { model, seconds, outcome }
  const { text, format = 'json' } = outcome.value
  return { model, seconds, outcome: { ok: true, text, format } }
}

/** A clip of speech if the quick corpus was fetched; else a tone, for which a model may return no text. */
export async function openClip(env: Readonly<Record<string, string | undefined>>): Promise<Clip> {
  return (await fetchedClip(env)) ?? (await toneClip())
}

/** The shortest recording of the quick corpus, or null if it was not fetched. */
export async function fetchedClip(env: Readonly<Record<string, string | undefined>>): Promise<Clip | null> {
  try {
    const { utterances } = await readCorpus('quick', { env })
    const [shortest] = [...utterances].toSorted(
      (a, b) => (a.durationSeconds ?? Infinity) - (b.durationSeconds ?? Infinity),
    )
    if (shortest === undefined) return null
    const { size: sizeBytes } = await stat(shortest.audioPath)
    const words = `${(shortest.durationSeconds ?? 0).toFixed(1)} s of speech`
    return {
      path: shortest.audioPath,
      sizeBytes,
      mimeType: 'audio/wav',
      words,
      [Symbol.asyncDispose]: async () => undefined,
    }
  } catch (error) {
    // It was not fetched, or another corpus has this name.
    if (error instanceof BenchError || (error instanceof Error && 'code' in error)) return null
    throw error
  }
}

async function toneClip(): Promise<Clip> {
  const rateHz = 16_000
  const samples = Float32Array.from(
    { length: rateHz },
    (_, position) => 0.1 * Math.sin((2 * Math.PI * 440 * position) / rateHz),
  )
  const bytes = encodeWav(samples, rateHz)
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-clip-'))
  const path = join(folder, 'tone.wav')
  await writeFile(path, bytes)
  return {
    path,
    sizeBytes: bytes.length,
    mimeType: 'audio/wav',
    words: '1 s of a tone',
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/**
 * Sends a clip to each named model that the server does not list, because servers take unlisted aliases, such as
 * `whisper-1`. A refused name stays unlisted.
 *
 * @param isBilled whether requests may cost money; then nothing is sent, and the warm-up of the run tests the name
 */
export async function findAliases(
  target: OpenServer,
  names: readonly string[],
  clip: Pick<Clip, 'path' | 'sizeBytes' | 'mimeType'>,
  isBilled: boolean,
): Promise<Pick<OpenServer, 'models' | 'warnings'>> {
  const listed = new Set(target.models.map(({ id }) => id))
  const accepted: string[] = []
  for (const model of new Set(names)) {
    if (listed.has(model)) continue
    const { outcome } = isBilled ? { outcome: { ok: true } as const } : await tryModel(target, model, clip)
    if (outcome.ok || outcome.failure.kind === 'timedOut') accepted.push(model)
  }
  const [{ provider = 'local' } = {}] = target.models
  const voice = { kind: 'voice', provider, installed: true, size_mb: null }
  return {
    models: accepted.map((id) => ({ ...voice, id, displayName: id })),
    warnings: accepted.map((model) => ({
      code: 'MODEL_UNLISTED',
      message: `${target.server.baseUrl} does not list ${model}${isBilled ? '' : ' and answers to it all the same'}`,
      hint: `which model that is, its settings say; it lists ${[...listed].join(', ')}`,
    })),
  }
}

/** The result of a trial: "tiny: “seven of hearts” in 0.42 s (json)", or the failure. */
export function trialWords({ model, seconds, outcome }: Trial): string {
  if (!outcome.ok) return `${model}: ${describeFailure(outcome.failure)}`
  const heard = outcome.text === '' ? 'no words' : JSON.stringify(outcome.text)
  return `${model}: ${heard} in ${seconds.toFixed(2)} s (${outcome.format})`
}
