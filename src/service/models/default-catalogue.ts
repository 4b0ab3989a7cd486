import { sherpaEngine } from '../engines/sherpa.ts'
import { sherpaFamilies } from '../engines/sherpa-families.ts'
import type { Catalogue } from './catalogue.ts'
import { moonshineModels } from './moonshine-models.ts'
import { voiceActivityModel } from './voice-activity-model.ts'

/** The models that transcribench can install, and the engines that run them. */
export const defaultCatalogue: Catalogue = {
  models: moonshineModels,
  engines: sherpaFamilies.map(sherpaEngine),
  voiceActivity: voiceActivityModel,
}
