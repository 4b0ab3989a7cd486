import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { englishSpellings, limits, modePresets, openEnum, postProcessingModes, tolerant } from './enums.ts'

/** One field of a Mode that a client may set. */
interface WritableField<Sent extends z.ZodType, Received extends z.ZodType> {
  /** Strict parser for requests; a service reports each bad field with it. */
  readonly sent: Sent
  /** Tolerant parser for responses. */
  readonly received: Received
  /** Value in a new Mode that does not set the field; undefined where `modeDefaults` or the server sets it. */
  readonly unset: unknown
  /** Maximum length in UTF-16 code units; for the vocabulary, that of each word. */
  readonly maxLength: number | undefined
}

const { identifier, instructions, vocabularyWord } = limits.modeText

const string = z.string()
const nullableString = z.string().nullable()
const nullWithout = nullableString.default(null)

function field<Sent extends z.ZodType, Received extends z.ZodType>(
  meaning: string,
  [sent, received]: readonly [Sent, Received],
  { unset, maxLength }: Partial<Pick<WritableField<Sent, Received>, 'unset' | 'maxLength'>>,
): WritableField<Sent, Received> {
  return { sent: sent.describe(meaning), received: received.describe(meaning), unset, maxLength }
}

const text = (meaning: string, sent: z.ZodString = string) =>
  field(meaning, [sent, string], { maxLength: identifier })
const flag = (meaning: string) => field(meaning, [z.boolean(), z.boolean()], {})
/** A flag that is missing from the responses of some servers. */
const laterFlag = (meaning: string) =>
  field(meaning, [z.boolean(), z.boolean().default(false)], { unset: false })
const nullable = (meaning: string, maxLength: number = identifier) =>
  field(meaning, [nullableString, nullWithout], { unset: null, maxLength })
/** A text field that is missing from the responses of some builds. */
const trailing = (meaning: string) =>
  field(meaning, [nullableString, nullableString.optional()], { unset: null, maxLength: identifier })
const readOnly = <Parser extends z.ZodType>(meaning: string, parser: Parser) => ({
  received: parser.describe(meaning),
})

const { minimum, maximum } = limits.sortOrderElsewhere
const vocabulary = z.array(string).nullable()

/** All fields of a Mode, in the order of documents. */
const fields = {
  id: readOnly('Id, given by the server.', string),
  name: text('Name, unique on a server.'),
  preset: field('Style of writing.', [z.enum(modePresets), openEnum(modePresets)], {}),
  language: text('Language of the speech: a BCP 47 tag, or `auto`.', string.min(1)),
  model: text(
    'Id of the local model; `cloud` where `cloudProvider` and `cloudTranscriptionModel` name it.',
    string.min(1),
  ),
  punctuation: flag('Whether punctuation is written.'),
  capitalization: flag('Whether capital letters are written.'),
  profanityFilter: flag('Whether profanity is hidden.'),
  customInstructions: nullable('Instructions for post-processing; null without.', instructions),
  userSystemPrompt: nullable('System prompt for post-processing; null without.', instructions),
  isDefault: flag('Whether it is the default Mode.'),
  isSystemProvided: readOnly('Whether the server brought it.', z.boolean()),
  sortOrder: field('Position in the list of Modes.', [z.int().min(minimum).max(maximum), z.int()], {}),
  createdDate: readOnly('When it was created, ISO 8601.', string),
  modifiedDate: readOnly('When it was changed last, ISO 8601; set by the server on every patch.', string),
  languageModel: nullable('Language model; null without.'),
  cloudTranscriptionModel: nullable('Model of the cloud provider; null without.'),
  cloudProvider: nullable('Cloud provider of a cloud Mode; null for a local one.'),
  postProcessingMode: field(
    'Post-processing: 0 off, 1 in the cloud, 2 by a local language model.',
    [z.literal(postProcessingModes), z.int().default(0)],
    { unset: 0 },
  ),
  postProcessingProvider: nullable('Provider of post-processing; null without.'),
  englishSpelling: field(
    'Spelling of English words; null leaves it as it is.',
    [z.enum(englishSpellings).nullable(), openEnum(englishSpellings).nullable().default(null)],
    { unset: null },
  ),
  useStreamingTranscription: laterFlag('Whether speech is transcribed while it goes on.'),
  cloudAccuracyTier: nullable('Accuracy tier of the cloud provider; null for its default.'),
  removeTrailingPeriod: laterFlag('Whether the period at the end is removed.'),
  enableScreenOCR: laterFlag('Whether the screen is read for context.'),
  vendorCustomPrompt: nullable('Prompt for the model of the vendor; null without.', instructions),
  cloudPostProcessingModel: nullable('Cloud model of post-processing; null without.'),
  cloudTranscriptionDomain: trailing("Domain of the cloud provider's model; null or absent without."),
  localEngine: trailing('Local engine; Windows only.'),
  localEngineBModel: trailing('Model of the second local engine; Windows only.'),
  localPostProcessingModel: trailing('Local model of post-processing; Windows only.'),
  customVocabulary: field('Words to listen for; Windows only.', [vocabulary, vocabulary.optional()], {
    unset: [],
    maxLength: vocabularyWord,
  }),
  providerType: trailing('Kind of provider; Windows only.'),
}

/** The parsers of one side, for the fields that have one. */
type Parsers<Side extends 'sent' | 'received'> = {
  readonly [Field in keyof typeof fields as (typeof fields)[Field] extends Record<Side, z.ZodType>
    ? Field
    : never]: (typeof fields)[Field] extends Record<Side, infer Parser> ? Parser : never
}

export type WritableModeField = keyof Parsers<'sent'>
export type ReadOnlyModeField = Exclude<keyof typeof fields, WritableModeField>

function collect(part: keyof WritableField<z.ZodType, z.ZodType>): Readonly<Record<string, unknown>> {
  const all: Readonly<Record<string, Partial<WritableField<z.ZodType, z.ZodType>>>> = fields
  const parts = Object.entries(all).map(([name, facts]) => [name, facts[part]])
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined))
}

/** Parsers of the writable fields. */
export const modeFieldParsers = collect('sent') as Parsers<'sent'>

/**
 * Maximum length of each text of a Mode, in UTF-16 code units; of each word for the vocabulary. Fields
 * without a limit are numbers, booleans or enums. This project sets the limits; the specification has none.
 */
export const modeTextLimits = collect('maxLength') as Readonly<Partial<Record<WritableModeField, number>>>

/** The fields of a Mode that a client may set. */
export type ModeSettings = DeepReadonly<z.infer<z.ZodObject<Parsers<'sent'>>>>

/** Strict parser of a request to change a Mode. */
export const modePatch = z
  .strictObject(modeFieldParsers)
  .partial()
  .meta({ id: 'ModePatch', description: 'Fields of a Mode to change; absent fields stay as they are.' })
/** Body of `PATCH /modes/{id}`; absent fields stay unchanged. */
export type ModePatch = DeepReadonly<z.infer<typeof modePatch>>

/** Strict parser of a request to create a Mode. */
export const modeDraft = z.strictObject(modeFieldParsers).partial().required({ name: true })
/** Body of `POST /modes`. */
export type ModeDraft = DeepReadonly<z.infer<typeof modeDraft>>

export const mode = tolerant(collect('received') as Parsers<'received'>).meta({
  id: 'Mode',
  description: 'A Mode as a server returns it: a saved configuration of transcription.',
})
/** A Mode as a server returns it: a saved configuration of transcription and post-processing. */
export type Mode = z.infer<typeof mode>

type DefaultedField = 'preset' | 'language' | 'punctuation' | 'capitalization' | 'profanityFilter'

/** Values that a server sets on create for these fields where the request omits them. */
export const modeDefaults: Pick<ModeSettings, DefaultedField> = {
  preset: 'hyper',
  language: 'en',
  punctuation: true,
  capitalization: true,
  profanityFilter: false,
}

/** Values of the other fields in a new Mode that does not set them. */
export const unsetModeFields = collect('unset') as Omit<
  ModeSettings,
  DefaultedField | 'name' | 'model' | 'isDefault' | 'sortOrder'
>

/** Fields that the server sets; it ignores them in a request. */
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

/** Fields that an explicit null clears in a PATCH on macOS and Linux. On Windows null counts as absent. */
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

/** Fields that macOS requires on create; other builds take missing ones from `modeDefaults`. */
export const macosRequiredModeFields: readonly WritableModeField[] = [
  'name',
  'preset',
  'language',
  'model',
  'punctuation',
  'capitalization',
  'profanityFilter',
]

/** Prefix of the name of every Mode that transcribench creates, so that users recognise its origin. */
const prefix = 'transcribench'

/**
 * Name of the temporary Mode of one contender, unique to its run.
 *
 * @param mark derived from the run folder's path, because two runs of the same second can share an id
 */
export function temporaryModeName(
  { runId, mark }: { readonly runId: string; readonly mark: string },
  contenderId: string,
): string {
  return `${prefix} ${runId} ${contenderId} ${mark}`
}

/** Name of a Mode that a conformance case creates. @param runId 8 hexadecimal digits, random for each check */
export function conformanceModeName(runId: string, label: string): string {
  return `${prefix} conformance ${runId} ${label}`
}

/** Matches only names of those two functions, not what a user may call a Mode, such as "transcribench notes". */
const ours = /^transcribench (?:(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-\S+)|conformance ([0-9a-f]{8})) ./

/** The id of the run or conformance check that named a Mode; null for a Mode that transcribench did not create. */
export function runOfModeName(name: string): string | null {
  const found = ours.exec(name)
  return found?.[1] ?? found?.[2] ?? null
}
