import { z } from 'zod'
import {
  type EnglishSpelling,
  englishSpellings,
  type ModePreset,
  modePresets,
  type Open,
  openEnum,
  type PostProcessingMode,
  postProcessingModes,
} from './enums.ts'
import { limits } from './limits.ts'

/** A Mode: a saved transcription and post-processing configuration, as a server returns it. */
export interface Mode {
  readonly id: string
  readonly name: string
  readonly preset: Open<ModePreset>
  readonly language: string
  /** The local model's id; `cloud` when `cloudProvider` and `cloudTranscriptionModel` name the rest. */
  readonly model: string
  readonly punctuation: boolean
  readonly capitalization: boolean
  readonly profanityFilter: boolean
  readonly customInstructions: string | null
  readonly userSystemPrompt: string | null
  readonly isDefault: boolean
  readonly isSystemProvided: boolean
  readonly sortOrder: number
  /** ISO 8601. */
  readonly createdDate: string
  /** ISO 8601; set by the server on every patch. */
  readonly modifiedDate: string
  readonly languageModel: string | null
  readonly cloudTranscriptionModel: string | null
  readonly cloudProvider: string | null
  readonly postProcessingMode: PostProcessingMode | number
  readonly postProcessingProvider: string | null
  readonly englishSpelling: Open<EnglishSpelling> | null
  readonly useStreamingTranscription: boolean
  readonly cloudAccuracyTier: string | null
  readonly removeTrailingPeriod: boolean
  readonly enableScreenOCR: boolean
  readonly vendorCustomPrompt: string | null
  readonly cloudPostProcessingModel: string | null
  /** This field and those after it are absent from the answers of some builds. */
  readonly cloudTranscriptionDomain?: string | null | undefined
  readonly localEngine?: string | null | undefined
  readonly localEngineBModel?: string | null | undefined
  readonly localPostProcessingModel?: string | null | undefined
  readonly customVocabulary?: readonly string[] | null | undefined
  readonly providerType?: string | null | undefined
}

export type ReadOnlyModeField = 'id' | 'isSystemProvided' | 'createdDate' | 'modifiedDate'
export type WritableModeField = Exclude<keyof Mode, ReadOnlyModeField>

/** Set by the server; ignored in the body of a request. */
export const readOnlyModeFields: readonly ReadOnlyModeField[] = [
  'id',
  'isSystemProvided',
  'createdDate',
  'modifiedDate',
]

/** Fields that only the Windows builds have; macOS ignores them on input and omits them on output. */
export const windowsModeFields: readonly WritableModeField[] = [
  'localEngine',
  'localEngineBModel',
  'localPostProcessingModel',
  'customVocabulary',
  'providerType',
]

/** Fields that an explicit null clears in a PATCH on macOS and Linux. On Windows null means "left out". */
export const clearableModeFields: readonly WritableModeField[] = [
  'customInstructions',
  'userSystemPrompt',
  'languageModel',
  'cloudTranscriptionModel',
  'cloudTranscriptionDomain',
  'cloudProvider',
  'postProcessingProvider',
  'englishSpelling',
  'cloudAccuracyTier',
  'vendorCustomPrompt',
  'cloudPostProcessingModel',
]

/** Required on create by the macOS build; the others fill them in from `modeDefaults`. */
export const macosRequiredModeFields: readonly WritableModeField[] = [
  'name',
  'preset',
  'language',
  'model',
  'punctuation',
  'capitalization',
  'profanityFilter',
]

const { identifier, instructions, vocabularyWord } = limits.modeText

/**
 * The longest value of each text of a Mode, in UTF-16 code units; of the vocabulary, the longest word. Fields that are not
 * here are numbers, booleans, or one of a few words. A decision of ours: the specification has no such limits.
 */
export const modeTextLimits: Readonly<Partial<Record<WritableModeField, number>>> = {
  name: identifier,
  language: identifier,
  model: identifier,
  customInstructions: instructions,
  userSystemPrompt: instructions,
  languageModel: identifier,
  cloudTranscriptionModel: identifier,
  cloudProvider: identifier,
  postProcessingProvider: identifier,
  cloudAccuracyTier: identifier,
  vendorCustomPrompt: instructions,
  cloudPostProcessingModel: identifier,
  cloudTranscriptionDomain: identifier,
  localEngine: identifier,
  localEngineBModel: identifier,
  localPostProcessingModel: identifier,
  customVocabulary: vocabularyWord,
  providerType: identifier,
}

const text = z.string()
const nullableText = z.string().nullable()

/** The enumerated fields, closed: a client sends listed values only. */
interface ClosedModeFields {
  readonly preset: ModePreset
  readonly postProcessingMode: PostProcessingMode
  readonly englishSpelling: EnglishSpelling | null
}

/** The fields of a Mode that a client may set. */
export type ModeSettings = {
  readonly [Field in WritableModeField]-?: Field extends keyof ClosedModeFields
    ? ClosedModeFields[Field]
    : Exclude<Mode[Field], undefined>
}
/** Body of `PATCH /modes/{id}`: what is left out stays as it is. */
export type ModePatch = { readonly [Field in WritableModeField]?: ModeSettings[Field] | undefined }
/** Body of `POST /modes`. */
export type ModeDraft = ModePatch & Pick<ModeSettings, 'name'>

/** A parser for each writable field, strict: for what we send, and for a service that names each bad field. */
export const modeFieldParsers: { readonly [Field in WritableModeField]: z.ZodType<ModeSettings[Field]> } = {
  name: text,
  preset: z.enum(modePresets),
  language: text.min(1),
  model: text.min(1),
  punctuation: z.boolean(),
  capitalization: z.boolean(),
  profanityFilter: z.boolean(),
  customInstructions: nullableText,
  userSystemPrompt: nullableText,
  isDefault: z.boolean(),
  sortOrder: z.int().min(limits.sortOrderElsewhere.minimum).max(limits.sortOrderElsewhere.maximum),
  languageModel: nullableText,
  cloudTranscriptionModel: nullableText,
  cloudProvider: nullableText,
  postProcessingMode: z.literal(postProcessingModes),
  postProcessingProvider: nullableText,
  englishSpelling: z.enum(englishSpellings).nullable(),
  useStreamingTranscription: z.boolean(),
  cloudAccuracyTier: nullableText,
  removeTrailingPeriod: z.boolean(),
  enableScreenOCR: z.boolean(),
  vendorCustomPrompt: nullableText,
  cloudPostProcessingModel: nullableText,
  cloudTranscriptionDomain: nullableText,
  localEngine: nullableText,
  localEngineBModel: nullableText,
  localPostProcessingModel: nullableText,
  customVocabulary: z.array(z.string()).nullable(),
  providerType: nullableText,
}

/** Strict parser of what we send. */
export const modePatch: z.ZodType<ModePatch> = z.strictObject(modeFieldParsers).partial()
/** Strict parser of what we send. */
export const modeDraft: z.ZodType<ModeDraft> = z
  .strictObject(modeFieldParsers)
  .partial()
  .required({ name: true })

const trailing = {
  cloudTranscriptionDomain: nullableText.optional(),
  localEngine: nullableText.optional(),
  localEngineBModel: nullableText.optional(),
  localPostProcessingModel: nullableText.optional(),
  customVocabulary: z.array(z.string()).nullable().optional(),
  providerType: nullableText.optional(),
}

/** Tolerant parser of what we receive: unknown fields and unlisted enum values are kept. */
export const mode: z.ZodType<Mode> = z.looseObject({
  id: text,
  name: text,
  preset: openEnum(modePresets),
  language: text,
  model: text,
  punctuation: z.boolean(),
  capitalization: z.boolean(),
  profanityFilter: z.boolean(),
  customInstructions: nullableText.default(null),
  userSystemPrompt: nullableText.default(null),
  isDefault: z.boolean(),
  isSystemProvided: z.boolean(),
  sortOrder: z.int(),
  createdDate: text,
  modifiedDate: text,
  languageModel: nullableText.default(null),
  cloudTranscriptionModel: nullableText.default(null),
  cloudProvider: nullableText.default(null),
  postProcessingMode: z.int().default(0),
  postProcessingProvider: nullableText.default(null),
  englishSpelling: openEnum(englishSpellings).nullable().default(null),
  useStreamingTranscription: z.boolean().default(false),
  cloudAccuracyTier: nullableText.default(null),
  removeTrailingPeriod: z.boolean().default(false),
  enableScreenOCR: z.boolean().default(false),
  vendorCustomPrompt: nullableText.default(null),
  cloudPostProcessingModel: nullableText.default(null),
  ...trailing,
})

/** What a server that lets them be left out puts in their place on create. */
export const modeDefaults: Pick<
  ModeSettings,
  'preset' | 'language' | 'punctuation' | 'capitalization' | 'profanityFilter'
> = {
  preset: 'hyper',
  language: 'en',
  punctuation: true,
  capitalization: true,
  profanityFilter: false,
}
