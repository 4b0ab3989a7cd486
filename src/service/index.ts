/**
 * The reference service: a server of the Local Transcription API with real engines, and the models that it
 * can install. Never talks to another implementation of the API, and never listens beyond 127.0.0.1.
 * Importing it does nothing; a service is started by calling `startService`.
 *
 *   await installModel('moonshine-tiny', { modelsDir })
 *   await using service = await startService({ modelsDir })
 *   const health = await (await fetch(`${service.baseUrl}/health`)).json()
 */
export type { BackupFacts } from './backup.ts'
export { backUp, restore } from './backup.ts'
export type {
  Clip,
  Engine,
  EngineDescription,
  EngineFailure,
  LoadedModel,
  Spoken,
} from './engines/engine.ts'
export { engineSampleRateHz } from './engines/engine.ts'
export type { ScriptedAnswer, ScriptedCall, ScriptedEvent, ScriptedModel } from './engines/scripted.ts'
export { scriptedCatalogue } from './engines/scripted.ts'
export { defaultDataDir, defaultModelsDir } from './folder/default-folders.ts'
export type { ModelToAdd } from './models/add-model.ts'
export { addableFamilies, addModel } from './models/add-model.ts'
export type {
  Catalogue,
  CatalogueModel,
  InstallableModel,
  WeightsFile,
  WeightsPackage,
} from './models/catalogue.ts'
export { defaultCatalogue } from './models/default-catalogue.ts'
export type { InstallOptions, InstallProgress } from './models/install.ts'
export { installModel, installModels } from './models/install.ts'
export type { ListedModel } from './models/list.ts'
export { listModels } from './models/list.ts'
export { listEngines } from './models/list-engines.ts'
export { removeModel } from './models/remove-model.ts'
export type { RunningService, ServiceOptions, StopOptions } from './options.ts'
export { rotateToken } from './rotate-token.ts'
export { startService } from './service.ts'
export type { LoggedEvent, ServiceEvent } from './service-event.ts'
export type { OptionProblem } from './settings.ts'
export { findOptionProblems, optionsInvalid, serviceDefaults } from './settings.ts'
