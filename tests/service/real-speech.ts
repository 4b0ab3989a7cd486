import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resample } from '#audio/resampling'
import { decodeSound } from '#audio/sound-stream'
import { engineSampleRateHz } from '#service/engines/engine'
import { listModels } from '#service/models/known-models'
import { defaultModelsDir } from '#service/settings'

/** Where this machine has its models. */
export const modelsDir = defaultModelsDir(process.env)
export const installedModels = (await listModels({ modelsDir })).filter(({ installed }) => installed)

export const quickCorpus = join(import.meta.dirname, '../../corpora/quick')

/** Path of a recording of the quick corpus, which is there once it was fetched. */
export const recordingOf = (id: string): string => join(quickCorpus, `audio/${id}.wav`)

/** Why tests of a real model cannot run here; null where they can. */
export function whyNot(modelId: string): string | null {
  if (!installedModels.some(({ id }) => id === modelId))
    return `${modelId} is not installed: transcribench models install ${modelId}`
  return existsSync(recordingOf('cards-001'))
    ? null
    : 'the quick corpus is not here: transcribench corpus fetch quick'
}

/** A recording of the quick corpus, as an engine hears it. */
export async function samplesOf(id: string): Promise<Float32Array> {
  const decoded = await decodeSound(await readFile(recordingOf(id)))
  if (!decoded.ok) throw new Error(decoded.failure.reason)
  return resample(decoded.value, engineSampleRateHz)
}

/** Recordings one after the other, each with silence behind it. */
export async function joined(ids: readonly string[], gapSeconds: number): Promise<Float32Array> {
  const parts = await Promise.all(ids.map(samplesOf))
  const gap = Math.round(gapSeconds * engineSampleRateHz)
  const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length + gap, 0))
  let at = 0
  for (const part of parts) {
    samples.set(part, at)
    at += part.length + gap
  }
  return samples
}
