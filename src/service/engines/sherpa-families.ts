import type { SherpaModelConfig } from 'sherpa-onnx-node'
import type { LocalModelKey } from '#contract/resources'
import type { FileName, RoleFiles, Roles } from './sherpa-files.ts'

/** One architecture that sherpa-onnx runs. */
export interface SherpaFamily {
  readonly family: string
  readonly displayName: string
  /** The files that it needs, by their usual names in the releases of sherpa-onnx. */
  readonly roles: Roles
  /** The role whose file says what the model is. */
  readonly describedBy: string
  /** Maximum input length; longer audio is cut at silences. */
  readonly maxClipSeconds: number
  /** Whether its models give times of words; of Whisper, those that were exported for it. */
  readonly hasWordTimes: boolean
  /**
   * How a recogniser comes to decode as another language: one that is there is set to it, which must not happen while it
   * decodes; or each language has another recogniser. Null for models that take none.
   */
  readonly forcing: 'set' | 'apart' | null
  /** @param facts.at gives the absolute path of a role's file */
  config(facts: ModelFacts): Omit<SherpaModelConfig, 'tokens'>
  /**
   * The model's own codes of the languages that it transcribes, from its metadata and the names of its files; empty where
   * neither says.
   */
  languageCodes(files: RoleFiles, metadata: OnnxMetadata): readonly string[]
  /** Length of a frame of a model, the precision of its times of words; null where it gives no times. */
  frameSeconds(metadata: OnnxMetadata): number | null
  /** Whether a model with files of these names is of this family, by its metadata. */
  recognises(metadata: OnnxMetadata): boolean
}

/** What the exporter of a model wrote about it. */
type OnnxMetadata = ReadonlyMap<string, string>

interface ModelFacts {
  at(role: string): string
  /** One of `languageCodes`, or empty for the model to find out. */
  readonly language: string
  readonly metadata: OnnxMetadata
}

const tokens: FileName = { pattern: /tokens\.txt$/, like: '*tokens.txt' }
const onnx = (part: string): FileName => ({
  pattern: new RegExp(`^(.*[-_])?${part}([-_.].*)?\\.onnx$`),
  like: `*${part}*.onnx`,
})
/** Features of speech are 10 ms apart; models join several of them to a frame. */
const featureSeconds = 0.01

/** What all transducers have. */
const transducer = (modelType: NonNullable<SherpaModelConfig['modelType']>) => ({
  roles: { encoder: onnx('encoder'), decoder: onnx('decoder'), joiner: onnx('joiner'), tokens },
  describedBy: 'encoder',
  hasWordTimes: true,
  forcing: null,
  config: ({ at }: ModelFacts) => ({
    transducer: { encoder: at('encoder'), decoder: at('decoder'), joiner: at('joiner') },
    modelType,
  }),
  languageCodes: () => [],
})

/** sherpa-onnx hands the first 29.5 s to Whisper and drops the rest: the 30 s that it takes end with silence. */
const whisper: SherpaFamily = {
  family: 'whisper',
  displayName: 'Whisper',
  roles: { encoder: onnx('encoder'), decoder: onnx('decoder'), tokens },
  describedBy: 'encoder',
  maxClipSeconds: 29.4,
  hasWordTimes: true,
  forcing: 'set',
  config: ({ at, language, metadata }) => ({
    whisper: {
      encoder: at('encoder'),
      decoder: at('decoder'),
      language,
      task: 'transcribe',
      enableTokenTimestamps: hasAttention(metadata) ? 1 : 0,
    },
  }),
  frameSeconds: (metadata) => (hasAttention(metadata) ? 0.02 : null),
  languageCodes({ encoder = '' }, metadata) {
    // The English models are named tiny.en, base.en and so on.
    if (metadata.get('is_multilingual') === '0' || /\.en[-.]/.test(encoder)) return ['en']
    return (metadata.get('all_language_codes') ?? '').split(',').filter((code) => code !== '')
  },
  recognises: (metadata) => readModelType(metadata).startsWith('whisper'),
}

/** Parakeet and other transducers of NVIDIA NeMo. Their attention sees all of a clip, in memory that grows with it. */
const nemoTransducer: SherpaFamily = {
  ...transducer('nemo_transducer'),
  family: 'nemo-transducer',
  displayName: 'NeMo transducer (Parakeet)',
  maxClipSeconds: 60,
  frameSeconds: (metadata) => featureSeconds * Number(metadata.get('subsampling_factor') ?? 8),
  recognises: (metadata) => readModelType(metadata).startsWith('EncDec'),
}

const zipformer: SherpaFamily = {
  ...transducer('transducer'),
  family: 'zipformer',
  displayName: 'Zipformer transducer',
  maxClipSeconds: 30,
  // sherpa-onnx takes them all for the fourth part.
  frameSeconds: () => 4 * featureSeconds,
  recognises: (metadata) => /^(?:zipformer2?|conformer|lstm)$/.test(readModelType(metadata)),
}

const senseVoice: SherpaFamily = {
  family: 'sense-voice',
  displayName: 'SenseVoice',
  roles: { model: onnx('model'), tokens },
  describedBy: 'model',
  maxClipSeconds: 30,
  hasWordTimes: true,
  forcing: 'apart',
  config: ({ at, language }) => ({
    senseVoice: { model: at('model'), language, useInverseTextNormalization: 1 },
  }),
  // Fun-ASR Nano is of the same architecture, takes no language, and says so here.
  languageCodes: (_, metadata) => (isNano(metadata) ? [] : ['zh', 'en', 'ja', 'ko', 'yue']),
  frameSeconds: (metadata) => featureSeconds * Number(metadata.get('lfr_window_shift') ?? 6),
  recognises: (metadata) => metadata.has('lang_yue') || isNano(metadata),
}

/** Past half a minute Moonshine leaves words out, and its memory grows with the square of the length. */
const moonshine: SherpaFamily = {
  family: 'moonshine',
  displayName: 'Moonshine',
  roles: {
    encoder: onnx('encoder_model'),
    decoder: onnx('decoder_model_merged'),
    tokens,
  },
  describedBy: 'encoder',
  maxClipSeconds: 30,
  hasWordTimes: false,
  forcing: null,
  config: ({ at }) => ({ moonshine: { encoder: at('encoder'), mergedDecoder: at('decoder') } }),
  languageCodes: () => ['en'],
  frameSeconds: () => null,
  // Its exports say nothing.
  recognises: (metadata) => metadata.size === 0,
}

/** An export of Whisper with the attention that times of tokens are made of. */
function hasAttention(metadata: OnnxMetadata): boolean {
  return Number(metadata.get('n_alignment_heads') ?? 0) > 0
}

function readModelType(metadata: OnnxMetadata): string {
  return metadata.get('model_type') ?? ''
}

function isNano(metadata: OnnxMetadata): boolean {
  return metadata.get('comment')?.includes('Nano') === true
}

/** Every architecture whose models can be run, and added. */
export const sherpaFamilies: readonly SherpaFamily[] = [
  moonshine,
  whisper,
  nemoTransducer,
  senseVoice,
  zipformer,
]

/** The inventory of `GET /health` that lists a family's models. */
export function localModelKey(family: string): LocalModelKey {
  const keys: Readonly<Record<string, LocalModelKey>> = {
    moonshine: 'engine_a',
    whisper: 'engine_b',
    'nemo-transducer': 'engine_c',
  }
  return keys[family] ?? 'engine_d'
}

/** Codes that differ from those of BCP 47, as Whisper has them. @see https://github.com/openai/whisper/blob/main/whisper/tokenizer.py */
const ownCodes: ReadonlyMap<string, string> = new Map([
  ['tl', 'fil'],
  ['jw', 'jv'],
  ['iw', 'he'],
])

/** The BCP 47 tag of a code of a model. */
export function tagOfCode(code: string): string {
  return ownCodes.get(code) ?? code
}

/** @returns the model's code for a BCP 47 tag; empty for a language that it has not, and null, which it finds out itself */
export function codeOfTag(tag: string | null, codes: readonly string[]): string {
  if (tag === null) return ''
  const { language } = new Intl.Locale(tag)
  const wanted = language === 'nb' ? 'no' : language
  return codes.find((code) => tagOfCode(code) === wanted) ?? ''
}
