import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { resample } from '#audio/resampling'
import { decodeSound } from '#audio/sound-stream'
import { listModels } from '#service/models/known-models'
import { defaultModelsDir } from '#service/settings'

export const modelsDir: string = defaultModelsDir(process.env)

const audio = join(import.meta.dirname, '../../corpora/quick/audio')

/** A recording of the quick corpus. */
export async function samplesOf(name: string, sampleRateHz = 16_000): Promise<Float32Array> {
  const decoded = await decodeSound(await readFile(join(audio, `${name}.wav`)))
  if (!decoded.ok) throw new Error(decoded.failure.reason)
  return resample(decoded.value, sampleRateHz)
}

const quickCorpus = 'the quick corpus'

/** Which of these models, or `the quick corpus`, are not on this machine. */
export async function missingHere(...needed: readonly string[]): Promise<readonly string[]> {
  const models = await listModels({ modelsDir })
  const isHere = (name: string): boolean =>
    name === quickCorpus ? existsSync(audio) : models.some(({ id, installed }) => id === name && installed)
  return needed.filter((name) => !isHere(name))
}

/** Tests that are skipped where something is missing, which their name says then. */
export function describeWith(missing: readonly string[], name: string, tests: () => void): void {
  const where = missing.length === 0 ? '' : ` (not here: ${missing.join(', ')})`
  describe.skipIf(missing.length > 0)(`${name}${where}`, tests)
}
