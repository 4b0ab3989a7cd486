import { failed, type Outcome, succeeded } from '#prelude'
import { engineSampleRateHz } from '../engines/engine.ts'
import { sherpaEngine } from '../engines/sherpa.ts'
import type { SherpaFamily } from '../engines/sherpa-families.ts'

/** Loading the largest of these models takes half a minute from a slow disk. */
const maxCheckMs = 300_000

/**
 * Loads a model and transcribes a second of silence with it, in a separate process, as a service would.
 *
 * @returns why it cannot be used, in the engine's words
 */
export async function checkModel(
  { family, folder }: { readonly family: SherpaFamily; readonly folder: string },
  given?: AbortSignal,
): Promise<Outcome<void, { readonly reason: string }>> {
  const limit = AbortSignal.timeout(maxCheckMs)
  const signal = given === undefined ? limit : AbortSignal.any([given, limit])
  const loaded = await sherpaEngine(family).load({ id: family.family, folder, threads: 1, signal })
  if (!loaded.ok) {
    const { message } = loaded.failure
    return failed({ reason: limit.aborted ? 'loading it took more than five minutes' : message })
  }
  const silence = { samples: new Float32Array(engineSampleRateHz), sha256: '', fileName: null }
  const transcribed = await loaded.value.transcribe(silence, { language: null, timestamps: [], signal })
  await loaded.value.unload()
  return transcribed.ok ? succeeded(undefined) : failed({ reason: transcribed.failure.message })
}
