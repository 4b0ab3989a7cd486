import { z } from 'zod'
import { type ModePatch, modeFieldParsers, type WritableModeField } from '#contract'
import { languageField, parseLanguage } from '#languages'

/** A contender as it stands in a file. It needs `engine` and `model`, or `mode`. */
export interface ContenderFile {
  readonly id?: string | undefined
  readonly engine?: string | undefined
  readonly model?: string | undefined
  readonly language?: string | undefined
  readonly mode?: string | undefined
  readonly settings?: ModeFieldsFile | undefined
  readonly usdPerMinute?: number | undefined
  readonly priceSource?: string | undefined
  readonly priceDate?: string | undefined
}

type WithheldModeField = 'name' | 'isDefault' | 'sortOrder' | 'language' | 'model'

/** Fields of a Mode that a contender does not set, with the reason. */
export const withheldModeFields: Readonly<Record<WithheldModeField, string>> = {
  name: 'a Mode keeps its name; the contender\'s own is its "id"',
  isDefault: 'a benchmark does not change which Mode is the default',
  sortOrder: 'a benchmark does not change the order of the Modes',
  language: 'it stands beside "settings", in the contender itself',
  model: 'it stands beside "settings", in the contender itself',
}

/** Whether a key is a Mode field that is withheld from contenders. */
export function isWithheld(key: string): key is WithheldModeField {
  return Object.hasOwn(withheldModeFields, key)
}

export type ContenderModeField = Exclude<WritableModeField, WithheldModeField>
type ModeFieldsFile = Pick<ModePatch, ContenderModeField>

/** What may stand at a key, and what it means. */
export interface Description {
  readonly description: string
  readonly expects: string
  /** What to write instead of a value that is wrong; null where nothing is near. */
  readonly advise?: (value: unknown) => string | null
}

/** With it the engine finds out the language. */
export const detectedLanguage = 'auto'

function adviseLanguage(value: unknown): string | null {
  const parsed = typeof value === 'string' ? parseLanguage(value) : null
  return parsed === null || parsed.ok ? null : parsed.failure.hint
}

const text = 'text of at least one character'

export const contenderKeys: { readonly [Key in keyof ContenderFile]-?: Description } = {
  id: {
    description: 'short name in every table; without it the name of the model or the Mode',
    expects: text,
  },
  engine: { description: "the service's id for the engine, as in GET /models", expects: text },
  model: { description: 'id of the model, as in GET /models', expects: text },
  language: {
    description:
      'language of the speech: a tag such as "en" or "de-CH", an ISO 639 code, an English name, or "auto"; without it ' +
      'that of the corpus, "auto" where that names none or several, and a named Mode keeps its own',
    expects: 'a language such as "en", "de-CH" or "German", or "auto"',
    advise: adviseLanguage,
  },
  mode: {
    description: 'name of a Mode of the target, which is changed for the run and restored after it',
    expects: 'the name of a Mode',
  },
  settings: {
    description: 'fields of the Mode that differ from a plain transcription',
    expects: 'an object of Mode fields',
  },
  usdPerMinute: {
    description: 'what the provider asks for a minute of audio, in US dollars; 0 where it is free',
    expects: 'a price, 0 or more',
  },
  priceSource: {
    description: 'where the price stands: an address, or words; without it and a date, no cost is claimed',
    expects: text,
  },
  priceDate: {
    description: 'when the price was read there: prices change',
    expects: 'a date such as 2026-11-21',
  },
}

const onOff = 'true or false'
const textOrNull = 'text or null'

export const modeFieldKeys: { readonly [Field in ContenderModeField]: Description } = {
  preset: {
    description: 'style of writing',
    expects: '"hyper", "message", "mail", "note", "meeting", "code" or "custom"',
  },
  punctuation: { description: 'write punctuation', expects: onOff },
  capitalization: { description: 'write capital letters', expects: onOff },
  profanityFilter: { description: 'hide profanity', expects: onOff },
  customInstructions: { description: 'instructions for post-processing', expects: textOrNull },
  userSystemPrompt: { description: 'system prompt for post-processing', expects: textOrNull },
  languageModel: { description: 'language model of the Mode', expects: textOrNull },
  cloudTranscriptionModel: { description: "the cloud provider's model", expects: textOrNull },
  cloudProvider: { description: 'cloud provider of a cloud Mode', expects: textOrNull },
  postProcessingMode: {
    description: 'post-processing: 0 off, 1 in the cloud, 2 local',
    expects: '0, 1 or 2',
  },
  postProcessingProvider: { description: 'provider of post-processing', expects: textOrNull },
  englishSpelling: {
    description: 'spelling of English words',
    expects: '"american", "british", "australian", "canadian" or null',
  },
  useStreamingTranscription: { description: 'transcribe while speech goes on', expects: onOff },
  cloudAccuracyTier: { description: "the cloud provider's accuracy tier", expects: textOrNull },
  removeTrailingPeriod: { description: 'drop the period at the end', expects: onOff },
  enableScreenOCR: { description: 'read the screen for context', expects: onOff },
  vendorCustomPrompt: { description: "prompt for the vendor's model", expects: textOrNull },
  cloudPostProcessingModel: { description: 'cloud model of post-processing', expects: textOrNull },
  cloudTranscriptionDomain: { description: "domain of the cloud provider's model", expects: textOrNull },
  localEngine: { description: 'local engine (Windows)', expects: textOrNull },
  localEngineBModel: { description: 'model of the second local engine (Windows)', expects: textOrNull },
  localPostProcessingModel: { description: 'local model of post-processing (Windows)', expects: textOrNull },
  customVocabulary: { description: 'words to listen for (Windows)', expects: 'a list of words or null' },
  providerType: { description: 'kind of provider (Windows)', expects: textOrNull },
}

const name = z.string().trim().min(1).max(200)

function described<Value>(parser: z.ZodType<Value>, key: Description): z.ZodType<Value | undefined> {
  return parser.optional().meta({ description: key.description })
}

const modeFields: z.ZodType<ModeFieldsFile> = z.strictObject(
  Object.fromEntries(
    Object.entries(modeFieldKeys).map(([field, key]) => [
      field,
      described<unknown>(modeFieldParsers[field as ContenderModeField], key),
    ]),
  ),
)

/** Strict: unknown keys are problems. The schema for editors says what is needed; `findFaults` says it in words. */
export const contenderFile: z.ZodType<ContenderFile> = z
  .strictObject({
    id: described(name, contenderKeys.id),
    engine: described(name, contenderKeys.engine),
    model: described(name, contenderKeys.model),
    language: described(z.union([z.literal(detectedLanguage), languageField]), contenderKeys.language),
    mode: described(name, contenderKeys.mode),
    settings: described(modeFields, contenderKeys.settings),
    usdPerMinute: described(z.number().min(0), contenderKeys.usdPerMinute),
    priceSource: described(name, contenderKeys.priceSource),
    priceDate: described(z.iso.date(), contenderKeys.priceDate),
  })
  .meta({ anyOf: [{ required: ['engine', 'model'] }, { required: ['mode'] }] })
