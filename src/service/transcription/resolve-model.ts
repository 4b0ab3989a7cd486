import { localModelKeys } from '#contract/resources'
import type { TranscriptionRequest } from '#contract/transcription'
import { type Outcome, succeeded } from '#prelude'
import type { Catalogue, CatalogueModel } from '../engines/engine.ts'
import { noKey } from '../engines/provider-engine.ts'
import { type Refusal, refused } from '../http/call.ts'
import { isInstalled, notInstalled } from '../models/model-folder.ts'
import { openCatalogue } from '../models/open-catalogue.ts'
import type { StoredMode } from '../modes/modes.ts'

/** A name for any local engine, in addition to the families and the inventories of `GET /health`. */
const anyLocalEngine = 'local'

/** The value of a Mode's `model` for transcription in the cloud. */
const cloudModel = 'cloud'

/** The requested model, if it is installed. */
export async function findModel(
  request: Pick<TranscriptionRequest, 'engine' | 'model'>,
  mode: StoredMode | null,
  { catalogue, modelsDir }: { readonly catalogue: Catalogue; readonly modelsDir: string },
): Promise<Outcome<CatalogueModel, Refusal>> {
  const model = resolveModel(request, mode, catalogue)
  if (!model.ok || (await isInstalled(modelsDir, model.value))) return model
  const { code, message, hint = null } = notInstalled(model.value)
  return refused(code, message, hint)
}

/** Resolves the model of a request; its own fields take precedence over those of its Mode. */
function resolveModel(
  request: Pick<TranscriptionRequest, 'engine' | 'model'>,
  mode: StoredMode | null,
  catalogue: Catalogue,
): Outcome<CatalogueModel, Refusal> {
  const { engine } = request
  if (engine !== undefined && !engineNames(catalogue).includes(engine))
    return engineUnavailable(engine, catalogue)
  const id = request.model ?? mode?.model
  if (id === undefined) return refused('INVALID_REQUEST', 'Send model with engine.')
  if (id !== cloudModel || mode === null) return modelNamed(id, engine, catalogue)
  const ofMode = findCloudModel(mode, catalogue)
  return ofMode.ok && engine !== undefined ? modelNamed(ofMode.value.id, engine, catalogue) : ofMode
}

function modelNamed(
  id: string,
  engine: string | undefined,
  catalogue: Catalogue,
): Outcome<CatalogueModel, Refusal> {
  const models = catalogue.models.filter((entry) => entry.id === id && entry.kind === 'voice')
  if (models.length === 0) return modelNotFound(`There is no model named "${id}".`)
  const model = models.find((entry) => engine === undefined || listNames(entry).includes(engine))
  if (model === undefined) return modelNotFound(`The engine "${engine}" has no model named "${id}".`)
  return succeeded(model)
}

/** The cloud model of a Mode, which separate fields name. */
function findCloudModel(mode: StoredMode, catalogue: Catalogue): Outcome<CatalogueModel, Refusal> {
  const { cloudProvider, cloudTranscriptionModel: id } = mode
  const models = catalogue.models.filter(
    ({ provider }) => provider !== undefined && provider === cloudProvider,
  )
  const [first] = models
  if (cloudProvider === null) {
    const message = `The Mode "${mode.name}" transcribes in the cloud, and names no cloudProvider.`
    return refused(
      'ENGINE_UNAVAILABLE',
      message,
      'PATCH the Mode with a cloudProvider, or send engine with model.',
    )
  }
  if (first === undefined) return engineUnavailable(cloudProvider, catalogue)
  const model = id === null ? first : models.find((entry) => entry.id === id)
  if (model === undefined) return modelNotFound(`The provider "${cloudProvider}" has no model named "${id}".`)
  return succeeded(model)
}

function listNames({ family, localKey, provider }: CatalogueModel): readonly string[] {
  if (provider !== undefined) return [family]
  return [family, anyLocalEngine, ...(localKey === null ? [] : [localKey])]
}

/** All values of `engine` that a request may use. */
function engineNames({ models, engines }: Catalogue): readonly string[] {
  return [...new Set([...engines.map((known) => known.describe().family), ...models.flatMap(listNames)])]
}

function engineUnavailable(engine: string, { engines, keyless = [] }: Catalogue): Outcome<never, Refusal> {
  const provider = keyless.find(({ id }) => id === engine)
  if (provider !== undefined) {
    const { code, message, hint = null } = noKey(provider)
    return refused(code, message, hint)
  }
  const families = engines.map((known) => known.describe().family).join(', ')
  const isListed = (localModelKeys as readonly string[]).includes(engine)
  const message = isListed ? `No model is listed under "${engine}".` : `There is no engine named "${engine}".`
  return refused('ENGINE_UNAVAILABLE', message, `Engines here: ${families}.`)
}

function modelNotFound(message: string): Outcome<never, Refusal> {
  return refused('MODEL_NOT_FOUND', message, 'GET /models lists what there is.')
}

/** The value by which clients and Modes ask for language detection. */
const detectedLanguage = 'auto'

/**
 * The language to request from an engine.
 *
 * @param wanted `auto` or a BCP 47 tag
 * @param isLenient whether to request languages that the model does not support
 * @returns the canonical tag, or null for `auto`; a refusal where the model would answer in another language
 */
export function languageFor(
  model: Pick<CatalogueModel, 'id' | 'languages'>,
  wanted: string,
  isLenient: boolean,
): Outcome<string | null, Refusal> {
  if (wanted === detectedLanguage) return succeeded(null)
  const tag = canonical(wanted)
  if (tag === null) {
    const message = `language is "${detectedLanguage}" or a BCP-47 tag such as "en" or "pt-BR".`
    return refused('INVALID_REQUEST', message)
  }
  const { id, languages } = model
  const speaks = languages.some((language) => primary(language) === primary(tag))
  if (speaks || languages.length === 0 || isLenient) return succeeded(tag)
  const named = languages.length > maxNamed ? `${languages.length} languages` : languages.join(', ')
  const message = `The model ${id} transcribes ${named}, not ${tag}.`
  const hint = `Name a model for ${tag}, or send language "${detectedLanguage}".`
  return refused('INVALID_REQUEST', message, hint)
}

/** Maximum number of listed languages; Whisper's hundred would hide the requested one. */
const maxNamed = 30

/** Maximum length of a tag, above that of all registered ones. */
const maxTagCharacters = 100

function canonical(tag: string): string | null {
  try {
    return tag.length > maxTagCharacters ? null : (Intl.getCanonicalLocales(tag)[0] ?? null)
  } catch {
    // The runtime throws a RangeError for a malformed tag.
    return null
  }
}

function primary(tag: string): string {
  const { language } = new Intl.Locale(tag)
  // Norwegian means Bokmål, except in models that also support Nynorsk.
  return language === 'nb' ? 'no' : language
}

/**
 * The values of `engine` that a service with these options accepts: families, programs and providers.
 *
 * @returns by name: the environment variable of a provider's missing key, otherwise null
 * @throws BenchError ENGINES_FILE_INVALID, MODEL_REGISTER_UNREADABLE
 */
export async function listEngines(options: {
  readonly modelsDir: string
  readonly enginesFile: string | null
  readonly env: Readonly<Record<string, string | undefined>>
}): Promise<ReadonlyMap<string, string | null>> {
  const catalogue = await openCatalogue(options.modelsDir, options.enginesFile, options.env)
  return new Map([
    ...engineNames(catalogue).map((name) => [name, null] as const),
    ...(catalogue.keyless ?? []).map(({ id, keyVariable }) => [id, keyVariable] as const),
  ])
}
