import { z } from 'zod'
import { localModelKeys } from '#contract/resources'
import type { Catalogue } from '../engines/engine.ts'
import { sherpaEngine } from '../engines/sherpa.ts'
import { sherpaFamilies } from '../engines/sherpa-families.ts'
import data from './built-in-models.json' with { type: 'json' }

const sizeBytes = z.int().positive()

const builtInModel = z.strictObject({
  id: z.string(),
  family: z.string(),
  displayName: z.string(),
  languages: z.array(z.string()),
  licence: z.string(),
  sizeBytes,
  weights: z.strictObject({
    package: z.strictObject({ name: z.string(), version: z.string(), integrity: z.string(), sizeBytes }),
    files: z.array(
      z.strictObject({
        name: z.string(),
        sizeBytes,
        sha256: z.hash('sha256'),
        origin: z.union([
          z.strictObject({ kind: z.literal('packed'), path: z.string() }),
          z.strictObject({ kind: z.literal('llamaVocabulary') }),
        ]),
      }),
    ),
  }),
})

/**
 * Two sizes of Moonshine from one package, quantised to 8 bits, and the voice activity detector Silero VAD 5.
 *
 * @see Jeffries et al. 2024, arXiv:2410.15608; https://github.com/snakers4/silero-vad
 */
const builtInModels = z.strictObject({
  models: z.array(
    builtInModel.extend({ localKey: z.enum(localModelKeys).nullable(), kind: z.enum(['voice', 'text']) }),
  ),
  voiceActivity: builtInModel,
})

/** The models that transcribench can install, and the engines that run them. */
export const defaultCatalogue: Catalogue = {
  ...builtInModels.parse(data),
  engines: sherpaFamilies.map(sherpaEngine),
}
