import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { englishSpellings, limits, modePresets, openEnum, postProcessingModes, tolerant } from './enums.ts'

/** One field of a Mode that a client may set. */
interface WritableField<Sent extends z.ZodType, Received extends z.ZodType> {
  /** Strict: for what we send, and for a service that names each bad field. */
  readonly sent: Sent
  /** Tolerant: for what a server answers. */
  readonly received: Received
  /** Its value in a new Mode that does not name it; undefined for those that `modeDefaults` or the server fills in. */
  readonly unset: unknown
  /** Of a text, in UTF-16 code units; of the vocabulary, the longest word. */
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
/** A flag that some servers leave out. */
const laterFlag = (meaning: string) =>
  field(meaning, [z.boolean(), z.boolean().default(false)], { unset: false })
const nullable = (meaning: string, maxLength: number = identifier) =>
  field(meaning, [nullableString, nullWithout], { unset: null, maxLength })
/** One that is absent from the answers of some builds. */
const trailing = (meaning: string) =>
  field(meaning, [nullableString, nullableString.optional()], { unset: null, maxLength: identifier })
const readOnly = <Parser extends z.ZodType>(meaning: string, parser: Parser) => ({
  received: parser.describe(meaning),
})

const { minimum, maximum } = limits.sortOrderElsewhere
const vocabulary = z.array(string).nullable()

/** Every field of a Mode, in the order of documents. */
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

/** The fields of which one side has a parser, with that parser. */
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

/** A parser for each writable field. */
export const modeFieldParsers = collect('sent') as Parsers<'sent'>

/**
 * The longest value of each text of a Mode, in UTF-16 code units; of the vocabulary, the longest word. Fields that are not
 * here are numbers, booleans, or one of a few words. A decision of this project: the specification has no such limits.
 */
export const modeTextLimits = collect('maxLength') as Readonly<Partial<Record<WritableModeField, number>>>

/** The fields of a Mode that a client may set. */
export type ModeSettings = DeepReadonly<z.infer<z.ZodObject<Parsers<'sent'>>>>

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

export const mode = tolerant(collect('received') as Parsers<'received'>).meta({
  id: 'Mode',
  description: 'A Mode as a server returns it: a saved configuration of transcription.',
})
/** A Mode: a saved transcription and post-processing configuration, as a server returns it. */
export type Mode = z.infer<typeof mode>

type DefaultedField = 'preset' | 'language' | 'punctuation' | 'capitalization' | 'profanityFilter'

/** What a server that lets them be left out puts in their place on create. */
export const modeDefaults: Pick<ModeSettings, DefaultedField> = {
  preset: 'hyper',
  language: 'en',
  punctuation: true,
  capitalization: true,
  profanityFilter: false,
}

/** The other fields that a new Mode has whether it names them or not. */
export const unsetModeFields = collect('unset') as Omit<
  ModeSettings,
  DefaultedField | 'name' | 'model' | 'isDefault' | 'sortOrder'
>

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
