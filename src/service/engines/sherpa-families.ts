import { type FileHandle, open } from 'node:fs/promises'
import type { SherpaModelConfig } from 'sherpa-onnx-node'
import type { LocalModelKey } from '#contract/resources'
import { failed, type Outcome, succeeded } from '#prelude'

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

interface FileName {
  readonly pattern: RegExp
  /** The same for people, with `*` for anything. */
  readonly like: string
}

/** What a model consists of: for each role, its file. */
type Roles = Readonly<Record<string, FileName>>

export type RoleFiles = Readonly<Record<string, string>>

/** Why a folder is not the model that it was said to be; for each role, what was looked for and what is there. */
export interface UnclearRole {
  readonly role: string
  readonly like: string
  /** Several that fit; none where it is missing. */
  readonly candidates: readonly string[]
}

/**
 * Finds the files of a model by their usual names. Where a file is there quantised to 8 bits (`.int8.onnx`) and
 * as it was trained, the quantised one is taken.
 *
 * @param names all files of the folder
 * @returns one file for each role, or every role for which there is none or more than one
 */
export function findFiles(
  names: readonly string[],
  roles: Roles,
): Outcome<RoleFiles, readonly UnclearRole[]> {
  const files: Record<string, string> = {}
  const unclear: UnclearRole[] = []
  for (const [role, { pattern, like }] of Object.entries(roles)) {
    const fitting = names.filter((name) => pattern.test(name)).toSorted()
    const quantised = fitting.filter((name) => name.includes('.int8.'))
    const candidates = quantised.length > 0 ? quantised : fitting
    const [file] = candidates
    if (file === undefined || candidates.length > 1) {
      unclear.push({ role, like, candidates })
    } else {
      files[role] = file
    }
  }
  return unclear.length > 0 ? failed(unclear) : succeeded(files)
}

/**
 * Large exports keep their weights next to the graph, in files of its name: `large-v3-encoder.weights` of
 * `large-v3-encoder.onnx`.
 */
export function findCompanions(names: readonly string[], files: RoleFiles): readonly string[] {
  const graphs = Object.values(files).filter((name) => name.endsWith('.onnx'))
  return names.filter((name) =>
    graphs.some((graph) => {
      const stem = graph.slice(0, -'.onnx'.length)
      return [`${stem}.weights`, `${stem}.data`, `${graph}.data`, `${graph}_data`].includes(name)
    }),
  )
}

/** No export has as many fields at its top, or as much text in one of them. */
const maxFields = 10_000
const maxEntryBytes = 1 << 20

/** Fields of `ModelProto` and of its entries of text. @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */
const metadataField = 14
const [keyField, valueField] = [1, 2]

/** The longest number of Protocol Buffers in bytes, twice: the head of a field is its tag and its length. */
const maxHeadBytes = 20

/**
 * Reads what the exporter of an ONNX file wrote about it: kind of model, languages, sizes. The weights are stepped over,
 * not read.
 *
 * @returns empty for a file that is missing or no ONNX file, which only the loading reports
 */
export async function readOnnxMetadata(path: string): Promise<ReadonlyMap<string, string>> {
  const entries = new Map<string, string>()
  try {
    await using file = await open(path)
    const { size } = await file.stat()
    let at = 0
    for (let count = 0; at < size && count < maxFields; count += 1) {
      const head = fieldAt(await readAt(file, at, maxHeadBytes), 0)
      if (head === null) break
      at += head.start
      if (head.field === metadataField && head.length <= maxEntryBytes) {
        const [key, value] = readEntry(await readAt(file, at, head.length))
        entries.set(key, value)
      }
      at += head.length
    }
  } catch {
    // Missing or unreadable, which the loading reports.
  }
  return entries
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}

function readEntry(bytes: Buffer): readonly [key: string, value: string] {
  const texts = new Map<number, string>()
  for (let at = 0; at < bytes.length; ) {
    const head = fieldAt(bytes, at)
    if (head === null) break
    texts.set(head.field, bytes.toString('utf8', head.start, head.start + head.length))
    at = head.start + head.length
  }
  return [texts.get(keyField) ?? '', texts.get(valueField) ?? '']
}

interface Field {
  readonly field: number
  /** Of its content. */
  readonly start: number
  /** Of its content; 0 for a number, which is part of the head. */
  readonly length: number
}

/** @returns null for what is no field */
function fieldAt(bytes: Buffer, at: number): Field | null {
  const tag = numberAt(bytes, at)
  if (tag === null) return null
  const [field, wireType] = [Math.floor(tag.value / 8), tag.value % 8]
  if (wireType === 1) return { field, start: tag.end, length: 8 }
  if (wireType === 5) return { field, start: tag.end, length: 4 }
  const number = wireType === 0 || wireType === 2 ? numberAt(bytes, tag.end) : null
  if (number === null || field === 0) return null
  return { field, start: number.end, length: wireType === 2 ? number.value : 0 }
}

function numberAt(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | null {
  let value = 0
  for (let index = 0; index < 10; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) return null
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return { value, end: at + index + 1 }
  }
  return null
}
