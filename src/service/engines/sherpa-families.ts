import { type FileHandle, open } from 'node:fs/promises'
import type { SherpaModelConfig } from 'sherpa-onnx-node'
import type { LocalModelKey } from '#contract/resources'
import { failed, type Outcome, succeeded } from '#prelude'

/** A model architecture that sherpa-onnx supports. */
export interface SherpaFamily {
  readonly family: string
  readonly displayName: string
  /** The files that it needs, by their usual names in the releases of sherpa-onnx. */
  readonly roles: Roles
  /** The role of the file whose metadata describes the model. */
  readonly describedBy: string
  /** Maximum length of a clip in seconds; longer audio is cut at silences. */
  readonly maxClipSeconds: number
  /**
   * How a recogniser changes its language. `set`: it is set to the language, but not during a decode.
   * `apart`: each language has a separate recogniser. Null: the models accept no language.
   */
  readonly forcing: 'set' | 'apart' | null
  /** @param facts.at returns the absolute path of a role's file */
  config(facts: ModelFacts): Omit<SherpaModelConfig, 'tokens'>
  /** The model's own codes of its languages, from its metadata and file names; empty where neither lists them. */
  languageCodes(files: RoleFiles, metadata: OnnxMetadata): readonly string[]
  /** Length of a model's frame in seconds, which is the precision of word times; null for models without times. */
  frameSeconds(metadata: OnnxMetadata): number | null
  /** Whether a model with matching file names belongs to the family, by its metadata. */
  recognises(metadata: OnnxMetadata): boolean
}

/** Metadata that the exporter wrote into the model's file. */
type OnnxMetadata = ReadonlyMap<string, string>

interface ModelFacts {
  at(role: string): string
  /** One of `languageCodes`; empty lets the model detect the language. */
  readonly language: string
  readonly metadata: OnnxMetadata
}

const tokens: FileName = { pattern: /tokens\.txt$/, like: '*tokens.txt' }
const onnx = (part: string): FileName => ({
  pattern: new RegExp(`^(.*[-_])?${part}([-_.].*)?\\.onnx$`),
  like: `*${part}*.onnx`,
})
/** Distance of speech features in seconds; models join several features to a frame. */
const featureSeconds = 0.01

/** Properties that all transducers share. */
const transducer = (modelType: NonNullable<SherpaModelConfig['modelType']>) => ({
  roles: { encoder: onnx('encoder'), decoder: onnx('decoder'), joiner: onnx('joiner'), tokens },
  describedBy: 'encoder',
  forcing: null,
  config: ({ at }: ModelFacts) => ({
    transducer: { encoder: at('encoder'), decoder: at('decoder'), joiner: at('joiner') },
    modelType,
  }),
  languageCodes: () => [],
})

/** sherpa-onnx passes only the first 29.5 s to Whisper, because the 30 s of its window have to end with silence. */
const whisper: SherpaFamily = {
  family: 'whisper',
  displayName: 'Whisper',
  roles: { encoder: onnx('encoder'), decoder: onnx('decoder'), tokens },
  describedBy: 'encoder',
  maxClipSeconds: 29.4,
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
    // English-only models are named tiny.en, base.en and so on.
    if (metadata.get('is_multilingual') === '0' || /\.en[-.]/.test(encoder)) return ['en']
    return (metadata.get('all_language_codes') ?? '').split(',').filter((code) => code !== '')
  },
  recognises: (metadata) => readModelType(metadata).startsWith('whisper'),
}

/** Transducers of NVIDIA NeMo, such as Parakeet. Attention spans the whole clip, so memory grows with it. */
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
  // sherpa-onnx assumes a subsampling of four for all of them.
  frameSeconds: () => 4 * featureSeconds,
  recognises: (metadata) => /^(?:zipformer2?|conformer|lstm)$/.test(readModelType(metadata)),
}

const senseVoice: SherpaFamily = {
  family: 'sense-voice',
  displayName: 'SenseVoice',
  roles: { model: onnx('model'), tokens },
  describedBy: 'model',
  maxClipSeconds: 30,
  forcing: 'apart',
  config: ({ at, language }) => ({
    senseVoice: { model: at('model'), language, useInverseTextNormalization: 1 },
  }),
  // Fun-ASR Nano has the same architecture, but accepts no language.
  languageCodes: (_, metadata) => (isNano(metadata) ? [] : ['zh', 'en', 'ja', 'ko', 'yue']),
  frameSeconds: (metadata) => featureSeconds * Number(metadata.get('lfr_window_shift') ?? 6),
  recognises: (metadata) => metadata.has('lang_yue') || isNano(metadata),
}

/** Moonshine deletes words beyond 30 s, and its memory grows with the square of the length. */
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
  forcing: null,
  config: ({ at }) => ({ moonshine: { encoder: at('encoder'), mergedDecoder: at('decoder') } }),
  languageCodes: () => ['en'],
  frameSeconds: () => null,
  // Exports of Moonshine have no metadata.
  recognises: (metadata) => metadata.size === 0,
}

/** Whether an export of Whisper has the attention weights from which token times are computed. */
function hasAttention(metadata: OnnxMetadata): boolean {
  return Number(metadata.get('n_alignment_heads') ?? 0) > 0
}

function readModelType(metadata: OnnxMetadata): string {
  return metadata.get('model_type') ?? ''
}

function isNano(metadata: OnnxMetadata): boolean {
  return metadata.get('comment')?.includes('Nano') === true
}

/** All supported architectures. */
export const sherpaFamilies: readonly SherpaFamily[] = [
  moonshine,
  whisper,
  nemoTransducer,
  senseVoice,
  zipformer,
]

/** The inventory of `GET /health` that lists the models of a family. */
export function localModelKey(family: string): LocalModelKey {
  const keys: Readonly<Record<string, LocalModelKey>> = {
    moonshine: 'engine_a',
    whisper: 'engine_b',
    'nemo-transducer': 'engine_c',
  }
  return keys[family] ?? 'engine_d'
}

/** Whisper's codes that differ from BCP 47. @see https://github.com/openai/whisper/blob/main/whisper/tokenizer.py */
const ownCodes: ReadonlyMap<string, string> = new Map([
  ['tl', 'fil'],
  ['jw', 'jv'],
  ['iw', 'he'],
])

/** The BCP 47 tag of a model's code. */
export function tagOfCode(code: string): string {
  return ownCodes.get(code) ?? code
}

/** @returns the model's code for a BCP 47 tag; empty, which means detection, for null and for other languages */
export function codeOfTag(tag: string | null, codes: readonly string[]): string {
  if (tag === null) return ''
  const { language } = new Intl.Locale(tag)
  const wanted = language === 'nb' ? 'no' : language
  return codes.find((code) => tagOfCode(code) === wanted) ?? ''
}

interface FileName {
  readonly pattern: RegExp
  /** The pattern for users, with `*` as a wildcard. */
  readonly like: string
}

/** The file of each role of a model. */
type Roles = Readonly<Record<string, FileName>>

export type RoleFiles = Readonly<Record<string, string>>

/** A role without exactly one matching file, with the expected name and the matches. */
export interface UnclearRole {
  readonly role: string
  readonly like: string
  /** The files that match; empty where none does. */
  readonly candidates: readonly string[]
}

/**
 * Finds the files of a model by their usual names. A file quantised to 8 bits (`.int8.onnx`) takes
 * precedence.
 *
 * @param names all files of the folder
 * @returns one file for each role, or all roles without exactly one match
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
 * The files with the weights of large exports, named after their graph: `large-v3-encoder.weights` for
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

/** Limits far above the number of top-level fields, and the size of a metadata entry, of real exports. */
const maxFields = 10_000
const maxEntryBytes = 1 << 20

/** Field numbers of `ModelProto` and its entries. @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */
const metadataField = 14
const [keyField, valueField] = [1, 2]

/** Maximum size of a field's head in bytes: a tag and a length, each a varint of at most 10 bytes. */
const maxHeadBytes = 20

/**
 * Reads the metadata of an ONNX file: model type, languages, sizes. It skips the weights without reading
 * them.
 *
 * @returns empty for a file that is missing or no ONNX file, which loading reports later
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
    // The file is missing or unreadable, which loading reports.
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
  /** Offset of the content. */
  readonly start: number
  /** Length of the content; 0 for a number, which is part of the head. */
  readonly length: number
}

/** @returns null for bytes that are no field */
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
