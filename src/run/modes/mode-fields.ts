import type { Mode, ModelEntry, ModePatch, ModeSettings, WritableModeField } from '#contract'
import { findModel } from '../find-model.ts'

/** What a contender asks of a Mode. */
export interface ModeRequest {
  readonly engine: string | null
  readonly model: string | null
  /** Null leaves the language of a named Mode as it is; a temporary Mode then says `auto`. */
  readonly language: string | null
  readonly settings: ModePatch
}

/** A plain transcription: nothing rewritten, nothing left out, nothing sent to a language model. */
const plainTranscription: ModePatch = {
  preset: 'custom',
  punctuation: true,
  capitalization: true,
  profanityFilter: false,
  customInstructions: null,
  userSystemPrompt: null,
  postProcessingMode: 0,
  englishSpelling: null,
  useStreamingTranscription: false,
  removeTrailingPeriod: false,
  enableScreenOCR: false,
  vendorCustomPrompt: null,
  customVocabulary: [],
}

/** The fields of a temporary Mode, without its name. */
export function temporaryModeFields(request: ModeRequest, models: readonly ModelEntry[]): ModePatch {
  return { ...plainTranscription, language: 'auto', ...selection(request, models), ...request.settings }
}

/**
 * The fields in which a named Mode has to change: what the contender asks for and the Mode does not say. A
 * field that this build's Modes do not have is left out, since it could not be verified whether it was set.
 */
export function patchFor(mode: Mode, request: ModeRequest, models: readonly ModelEntry[]): ModePatch {
  const wanted = { ...selection(request, models), ...request.settings }
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([field, value]) => field in mode && !isSame(mode[field as WritableModeField], value),
    ),
  )
}

/** The fields that name engine, model and language: a cloud model has separate fields. */
function selection(request: ModeRequest, models: readonly ModelEntry[]): ModePatch {
  const { engine, model } = request
  const language = request.language === null ? {} : { language: request.language }
  if (model === null) return language
  const entry = findModel(request, models)
  if (entry === undefined || entry.provider === 'local') {
    return { ...language, model, ...(engine === null ? {} : { localEngine: engine }) }
  }
  return { ...language, model: 'cloud', cloudProvider: entry.provider, cloudTranscriptionModel: model }
}

/** The old values of the fields that a patch changes. */
export function fieldsBefore(mode: Mode, patch: ModePatch): ModePatch {
  return Object.fromEntries(
    Object.keys(patch).map((field) => [field, mode[field as WritableModeField] ?? null]),
  )
}

/** The writable fields of a Mode, for a copy of it. */
export function copiedFields(mode: Mode): ModePatch {
  const {
    id: _,
    isSystemProvided: __,
    createdDate: ___,
    modifiedDate: ____,
    isDefault: _____,
    ...rest
  } = mode
  return rest as ModeSettings
}

export function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left ?? null) === JSON.stringify(right ?? null)
}
