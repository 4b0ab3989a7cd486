/**
 * The reference service: a server of the Local Transcription API with real engines, and the models that it
 * can install. It never contacts other implementations, and listens on 127.0.0.1 only. Importing it has no
 * effects; `startService` starts a service.
 *
 *   await installModels(['moonshine-tiny'], { modelsDir })
 *   await using service = await startService({ modelsDir })
 *   const health = await (await fetch(`${service.baseUrl}/health`)).json()
 */

/** Default folder of the reference service's Modes, token and discovery file. */
export { dataDirectory as defaultDataDir } from '#installation/installation'
export {
  type Catalogue,
  type CatalogueModel,
  type Clip,
  type Engine,
  type EngineDescription,
  type EngineFailure,
  engineSampleRateHz,
  type InstallableModel,
  type LoadedModel,
  type Spoken,
  type WeightsFile,
  type WeightsPackage,
} from './engines/engine.ts'
export { type BackupFacts, backUp, restore } from './folder/backup.ts'
export { rotateToken } from './folder/data-dir.ts'
export { addableFamilies, addModel, type ModelToAdd } from './models/add-model.ts'
export { defaultCatalogue } from './models/default-catalogue.ts'
export {
  type InstallOptions,
  type InstallProgress,
  installModels,
  removeModel,
} from './models/install.ts'
export { type ListedModel, listModels } from './models/known-models.ts'
export { startService } from './service.ts'
export type { LoggedEvent, ServiceEvent } from './service-event.ts'
export {
  defaultModelsDir,
  findOptionProblems,
  type OptionProblem,
  optionsInvalid,
  type RunningService,
  type ServiceOptions,
  type StopOptions,
  serviceDefaults,
} from './settings.ts'
export { listEngines } from './transcription/resolve-model.ts'
