import { z } from 'zod'
import { modeFieldParsers, type WritableModeField } from '#contract/modes'
import { languageTag, parseLanguage } from '#prelude/languages'
import type { OptionValue, OptionValues } from '#providers/options'
import {
  aText,
  configuredTransports,
  type FileOf,
  fileObject,
  type Key,
  oneOf,
  type Words,
} from './settings.ts'

type WithheldModeField = 'name' | 'isDefault' | 'sortOrder' | 'language' | 'model'

/** Fields of a Mode that a contender does not set, with the reason. */
export const withheldModeFields: Readonly<Record<WithheldModeField, string>> = {
  name: 'a Mode keeps its name; the contender\'s own is its "id"',
  isDefault: 'a benchmark does not change which Mode is the default',
  sortOrder: 'a benchmark does not change the order of the Modes',
  language: 'it belongs next to "settings", in the contender itself',
  model: 'it belongs next to "settings", in the contender itself',
}

export function isWithheld(key: string): key is WithheldModeField {
  return Object.hasOwn(withheldModeFields, key)
}

export type ContenderModeField = Exclude<WritableModeField, WithheldModeField>
/** Language value for which the engine detects the language. */
export const detectedLanguage = 'auto'

function adviseLanguage(value: unknown): string | null {
  const parsed = typeof value === 'string' ? parseLanguage(value) : null
  return parsed === null || parsed.ok ? null : parsed.failure.hint
}

/** Description of valid targets, for messages. */
export const targetExpects =
  '"embedded", "auto", the path of a local-api.json, an address such as http://127.0.0.1:39201, a provider such as deepgram, or openai:http://127.0.0.1:8000/v1'

const onOff = 'true or false'
const textOrNull = 'text or null'

const modeFieldWords: { readonly [Field in ContenderModeField]: Words } = {
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

type ModeFieldKeys = {
  readonly [Field in ContenderModeField]: Words & { readonly parser: (typeof modeFieldParsers)[Field] }
}
const modeFieldKeys = Object.fromEntries(
  Object.entries(modeFieldParsers).flatMap(([field, parser]) =>
    isWithheld(field) ? [] : [[field, { parser, ...modeFieldWords[field as ContenderModeField] }]],
  ),
) as unknown as ModeFieldKeys

const name = z.string().trim().min(1).max(200)
/** Parser of an environment variable's name. */
export const variableName: z.ZodType<string> = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/)

const countParser = z.int().min(1).max(1024)

/** Parser of a provider option; the options of each provider are checked separately. */
export const contenderOption: z.ZodType<OptionValue> = z.union(
  [z.boolean(), z.number(), z.string(), z.array(z.string())],
  'true or false, a number, a text or a list of texts',
)

export const contenderOptions: z.ZodType<OptionValues> = z.record(z.string(), contenderOption)

interface ContenderKey extends Key {
  /**
   * Whether an answer depends on it. Answers of earlier runs are reused only where all such settings are equal. The
   * address represents the target, and contenders with a named Mode reuse none.
   */
  readonly changesAnswer: boolean
}

/** The keys of a contender in a file, each with its parser and description. */
export const contenderKeys = {
  id: {
    parser: name,
    description: 'short name in every table; without it the name of the model or the Mode',
    expects: aText.expects,
    changesAnswer: false,
  },
  target: {
    parser: name,
    description:
      'where its requests go, as the target of the run; without it that one. Contenders with several targets are ' +
      'measured in one run',
    expects: targetExpects,
    changesAnswer: false,
  },
  keyFrom: {
    parser: variableName,
    description: 'environment variable that holds the key of its target; without it keyFrom of the run',
    expects: 'the name of an environment variable',
    changesAnswer: false,
  },
  engine: {
    parser: name,
    description:
      "the service's id for the engine, as in GET /models; not needed for a target that begins with openai:",
    expects: aText.expects,
    changesAnswer: true,
  },
  model: {
    parser: name,
    description: 'id of the model, as in GET /models',
    expects: aText.expects,
    changesAnswer: true,
  },
  language: {
    parser: z.union([z.literal(detectedLanguage), z.string().transform(languageTag)]),
    description:
      'language of the speech: a tag such as "en" or "de-CH", an ISO 639 code, an English name, or "auto"; without it ' +
      'that of the corpus, "auto" where that names none or several, and a named Mode keeps its own',
    expects: 'a language such as "en", "de-CH" or "German", or "auto"',
    advise: adviseLanguage,
    changesAnswer: true,
  },
  mode: {
    parser: name,
    description: 'name of a Mode of the target, which is changed for the run and restored after it',
    expects: 'the name of a Mode',
    changesAnswer: false,
  },
  settings: {
    parser: fileObject(modeFieldKeys),
    description: 'fields of the Mode that differ from a plain transcription',
    expects: 'an object of Mode fields',
    keys: modeFieldKeys,
    changesAnswer: true,
  },
  options: {
    parser: contenderOptions,
    description:
      "settings of the provider's API, by their names there, such as { smart_format: true }: docs/providers.md lists them. " +
      'A server of openai: is sent them as given',
    expects: 'an object of options',
    changesAnswer: true,
  },
  threads: {
    parser: countParser,
    description: 'threads of each decode; for the built-in service, which is started once for each number',
    expects: 'a whole number, 1 or more',
    changesAnswer: false,
  },
  concurrency: {
    parser: countParser,
    description: 'requests kept in flight for this contender; without it load.concurrency. For a closed load',
    expects: 'a whole number, 1 or more',
    changesAnswer: false,
  },
  transport: {
    parser: z.enum(configuredTransports),
    description: 'how its audio travels; without it transport of the run',
    expects: oneOf(configuredTransports),
    changesAnswer: false,
  },
  requestsPerMinute: {
    parser: z.number().positive(),
    description:
      'at most so many requests leave in a minute, for a provider that limits them; the waiting is in no latency. For a ' +
      'closed load',
    expects: 'a number above 0',
    changesAnswer: false,
  },
  usdPerMinute: {
    parser: z.number().min(0),
    description: 'what the provider asks for a minute of audio, in US dollars; 0 where it is free',
    expects: 'a price, 0 or more',
    changesAnswer: false,
  },
  priceSource: {
    parser: name,
    description:
      'where the price is published: an address, or words; without it and a date, no cost is claimed',
    expects: aText.expects,
    changesAnswer: false,
  },
  priceDate: {
    parser: z.iso.date(),
    description: 'when the price was read there: prices change',
    expects: 'a date such as 2026-11-21',
    changesAnswer: false,
  },
} satisfies Readonly<Record<string, ContenderKey>>

/** A contender in a file. It needs `engine` and `model`, or `mode`; on a transcription server only `model`. */
export type ContenderFile = FileOf<typeof contenderKeys>

/** Parser of a contender. The schema shows editors which keys are required; `findFaults` explains it in messages. */
export const contenderFile: z.ZodType<ContenderFile> = fileObject(contenderKeys).meta({
  anyOf: [{ required: ['engine', 'model'] }, { required: ['target', 'model'] }, { required: ['mode'] }],
})
