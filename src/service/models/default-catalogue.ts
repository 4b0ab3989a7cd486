import type { Catalogue } from '../engines/engine.ts'
import { sherpaEngine } from '../engines/sherpa.ts'
import { sherpaFamilies } from '../engines/sherpa-families.ts'
import data from './built-in-models.json' with { type: 'json' }

/**
 * The models that transcribench can install, and the engines that run them: two sizes of Moonshine from one
 * package, quantised to 8 bits, and the voice activity detector Silero VAD 5.
 *
 * @see Jeffries et al. 2024, arXiv:2410.15608; https://github.com/snakers4/silero-vad
 */
export const defaultCatalogue: Catalogue = {
  ...(data as Pick<Catalogue, 'models' | 'voiceActivity'>),
  engines: sherpaFamilies.map(sherpaEngine),
}
