import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { englishSpellings, limits, modePresets, openEnum, postProcessingModes } from './enums.ts'

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
 * here are numbers, booleans, or one of a few words. A decision of this project: the specification has no such limits.
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

const meanings = {
  id: 'Id, given by the server.',
  name: 'Name, unique on a server.',
  preset: 'Style of writing.',
  language: 'Language of the speech: a BCP 47 tag, or `auto`.',
  model: 'Id of the local model; `cloud` where `cloudProvider` and `cloudTranscriptionModel` name it.',
  punctuation: 'Whether punctuation is written.',
  capitalization: 'Whether capital letters are written.',
  profanityFilter: 'Whether profanity is hidden.',
  customInstructions: 'Instructions for post-processing; null without.',
  userSystemPrompt: 'System prompt for post-processing; null without.',
  isDefault: 'Whether it is the default Mode.',
  isSystemProvided: 'Whether the server brought it.',
  sortOrder: 'Position in the list of Modes.',
  createdDate: 'When it was created, ISO 8601.',
  modifiedDate: 'When it was changed last, ISO 8601; set by the server on every patch.',
  languageModel: 'Language model; null without.',
  cloudTranscriptionModel: 'Model of the cloud provider; null without.',
  cloudProvider: 'Cloud provider of a cloud Mode; null for a local one.',
  postProcessingMode: 'Post-processing: 0 off, 1 in the cloud, 2 by a local language model.',
  postProcessingProvider: 'Provider of post-processing; null without.',
  englishSpelling: 'Spelling of English words; null leaves it as it is.',
  useStreamingTranscription: 'Whether speech is transcribed while it goes on.',
  cloudAccuracyTier: 'Accuracy tier of the cloud provider; null for its default.',
  removeTrailingPeriod: 'Whether the period at the end is removed.',
  enableScreenOCR: 'Whether the screen is read for context.',
  vendorCustomPrompt: 'Prompt for the model of the vendor; null without.',
  cloudPostProcessingModel: 'Cloud model of post-processing; null without.',
  cloudTranscriptionDomain: "Domain of the cloud provider's model; null or absent without.",
  localEngine: 'Local engine; Windows only.',
  localEngineBModel: 'Model of the second local engine; Windows only.',
  localPostProcessingModel: 'Local model of post-processing; Windows only.',
  customVocabulary: 'Words to listen for; Windows only.',
  providerType: 'Kind of provider; Windows only.',
}

const text = z.string()
const nullableText = z.string().nullable()

function described<Shape extends { readonly [Field in keyof typeof meanings]?: z.ZodType }>(
  shape: Shape,
): Shape {
  const fields = Object.entries(shape) as [keyof typeof meanings, z.ZodType][]
  return Object.fromEntries(
    fields.map(([field, parser]) => [field, parser.describe(meanings[field])]),
  ) as Shape
}

/** A parser for each writable field, strict: for what we send, and for a service that names each bad field. */
export const modeFieldParsers = described({
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
})

/** The fields of a Mode that a client may set. */
export type ModeSettings = DeepReadonly<z.infer<z.ZodObject<typeof modeFieldParsers>>>

/** Strict parser of what we send. */
export const modePatch = z
  .strictObject(modeFieldParsers)
  .partial()
  .meta({ id: 'ModePatch', description: 'Fields of a Mode to change; absent fields stay as they are.' })
/** Body of `PATCH /modes/{id}`: what is left out stays as it is. */
export type ModePatch = DeepReadonly<z.infer<typeof modePatch>>

/** Strict parser of what we send. */
export const modeDraft = z.strictObject(modeFieldParsers).partial().required({ name: true })
/** Body of `POST /modes`. */
export type ModeDraft = DeepReadonly<z.infer<typeof modeDraft>>

const modeFields = described({
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
  // These are absent from the answers of some builds.
  cloudTranscriptionDomain: nullableText.optional(),
  localEngine: nullableText.optional(),
  localEngineBModel: nullableText.optional(),
  localPostProcessingModel: nullableText.optional(),
  customVocabulary: z.array(z.string()).nullable().optional(),
  providerType: nullableText.optional(),
})

/** A Mode: a saved transcription and post-processing configuration, as a server returns it. */
export type Mode = DeepReadonly<z.infer<z.ZodObject<typeof modeFields>>>

/** Tolerant parser of what we receive: unknown fields and unlisted enum values are kept. */
export const mode: z.ZodType<Mode> = z
  .looseObject(modeFields)
  .meta({ id: 'Mode', description: 'A Mode as a server returns it: a saved configuration of transcription.' })

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

/** Every Mode that transcribench creates begins like this, so that a person knows where it comes from. */
const prefix = 'transcribench'

/**
 * The Mode of one contender. No other run has this name.
 *
 * @param mark of the run folder's path: in two results folders, two runs that began in the same second have one id
 */
export function temporaryModeName(
  { runId, mark }: { readonly runId: string; readonly mark: string },
  contenderId: string,
): string {
  return `${prefix} ${runId} ${contenderId} ${mark}`
}

/** A Mode that a conformance case creates. @param runId 8 hexadecimal digits, made anew each time */
export function conformanceModeName(runId: string, label: string): string {
  return `${prefix} conformance ${runId} ${label}`
}

/** What those two make, and nothing that a person would call a Mode: "transcribench notes" is theirs. */
const ours = /^transcribench (?:(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-\S+)|conformance ([0-9a-f]{8})) ./

/** The id of the run, or of the conformance check, that gave a Mode its name; null where that was not this project. */
export function runOfModeName(name: string): string | null {
  const found = ours.exec(name)
  return found?.[1] ?? found?.[2] ?? null
}
