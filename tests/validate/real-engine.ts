import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import sherpa, { type OfflineRecognizer } from 'sherpa-onnx-node'
import { resample } from '#audio/resampling'
import { decodeSound } from '#audio/sound-stream'
import { defaultModelsDir } from '#service/settings'

/** Models and recordings that `./scripts/test` installs and fetches: without them there is nothing real to measure. */
const root: string = join(import.meta.dirname, '../..')
export const env: Readonly<Record<string, string>> = { ...(process.env as Record<string, string>) }
export const modelsDir: string = defaultModelsDir({ HOME: homedir(), ...env })
const manifest: string = join(root, 'corpora/quick/manifest.jsonl')

/** A recording of the quick corpus. */
interface QuickClip {
  readonly utteranceId: string
  readonly fileName: string
  /** At 16 kHz. */
  readonly samples: Float32Array
}

export async function quickClips(): Promise<readonly QuickClip[]> {
  const lines = (await readFile(manifest, 'utf8')).trim().split('\n')
  return await Promise.all(
    lines.map(async (line) => {
      const { id, audio } = JSON.parse(line) as { readonly id: string; readonly audio: string }
      const decoded = await decodeSound(await readFile(join(root, 'corpora/quick', audio)))
      if (!decoded.ok) throw new Error(decoded.failure.reason)
      return { utteranceId: id, fileName: basename(audio), samples: await resample(decoded.value, 16_000) }
    }),
  )
}

/** moonshine-tiny without any service around it. */
export async function recogniser(threads: number): Promise<OfflineRecognizer> {
  const at = (file: string): string => join(modelsDir, 'moonshine-tiny', file)
  const moonshine = { encoder: at('encoder_model.onnx'), mergedDecoder: at('decoder_model_merged.onnx') }
  return await sherpa.OfflineRecognizer.createAsync({
    modelConfig: { moonshine, tokens: at('tokens.txt'), numThreads: threads, provider: 'cpu', debug: 0 },
  })
}

export async function decode(
  recognizer: OfflineRecognizer,
  samples: Float32Array,
): Promise<{ readonly text: string; readonly tookMs: number }> {
  const startedAtMs = performance.now()
  const stream = recognizer.createStream()
  stream.acceptWaveform({ samples, sampleRate: 16_000 })
  const { text } = await recognizer.decodeAsync(stream)
  return { text, tookMs: performance.now() - startedAtMs }
}

/** Contenders on the quick corpus, as a config. */
export function quickConfig(options: {
  readonly name: string
  readonly target: string
  readonly models: readonly string[]
  /** What transcription servers, whose engines are unknown, are asked by is `any`. */
  readonly engine?: string
  readonly rounds: number
}): string {
  return [
    `name: ${options.name}`,
    `target: ${options.target}`,
    `corpus: ${manifest}`,
    'contenders:',
    ...options.models.flatMap((model) => [
      `  - engine: ${options.engine ?? 'moonshine'}`,
      `    model: ${model}`,
      '    language: en',
    ]),
    `rounds: ${options.rounds}`,
    '',
  ].join('\n')
}
