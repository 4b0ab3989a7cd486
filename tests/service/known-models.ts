import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Models of a few kilobytes in the layout of sherpa-onnx, which say words that are known beforehand: the real native code
 * runs over them. Only what the tests need of ONNX is written.
 *
 * @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto for the numbers of the fields
 */
type Field = readonly [number: number, value: number | string | Uint8Array]

function message(fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number * 8), varint(value)]
      const bytes = Buffer.from(value)
      return [varint(number * 8 + 2), varint(bytes.length), bytes]
    }),
  )
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Uint8Array.from([...bytes, rest])
}

type Shape = readonly (number | string)[]
const types = { float: 1, int32: 6, int64: 7 } as const
type Typed = readonly [name: string, type: keyof typeof types, shape: Shape]

/** A field that is a message itself. */
const nested = (number: number, ...fields: readonly Field[]): Field => [number, message(fields)]

function valueInfo([name, type, shape]: Typed): Uint8Array {
  const dims = shape.map((dim) => nested(1, [typeof dim === 'number' ? 1 : 2, dim]))
  return message([[1, name], nested(2, nested(1, [1, types[type]], nested(2, ...dims)))])
}

function tensor(name: string, dims: readonly number[], data: Float32Array | BigInt64Array): Uint8Array {
  return message([
    ...dims.map((dim): Field => [1, dim]),
    [2, data instanceof Float32Array ? types.float : types.int64],
    [8, name],
    [9, new Uint8Array(data.buffer)],
  ])
}

interface NodeOfGraph {
  readonly op: string
  readonly inputs: readonly string[]
  readonly output: string
  /** Whole numbers alone. */
  readonly attributes?: Readonly<Record<string, number>>
}

const copied = (from: string, output: string): NodeOfGraph => ({ op: 'Identity', inputs: [from], output })

interface Model {
  readonly inputs: readonly Typed[]
  readonly outputs: readonly Typed[]
  readonly constants: readonly Uint8Array[]
  readonly nodes: readonly NodeOfGraph[]
  readonly metadata?: Readonly<Record<string, string | number>>
}

function onnx({ inputs, outputs, constants, nodes, metadata = {} }: Model): Uint8Array {
  const attribute = ([name, value]: readonly [string, number]): Field =>
    nested(5, [1, name], [3, value], [20, 2])
  const graph = nested(
    7,
    ...nodes.map(({ op, inputs: from, output, attributes = {} }) => {
      const names = from.map((name): Field => [1, name])
      return nested(1, ...names, [2, output], [4, op], ...Object.entries(attributes).map(attribute))
    }),
    [2, 'known'],
    ...constants.map((constant): Field => [5, constant]),
    ...inputs.map((input): Field => [11, valueInfo(input)]),
    ...outputs.map((output): Field => [12, valueInfo(output)]),
  )
  const pairs = Object.entries(metadata).map(([key, value]) => nested(14, [1, key], [2, String(value)]))
  return message([[1, 8], graph, nested(8, [2, 17]), ...pairs])
}

async function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  await mkdir(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

const lines = (vocabulary: readonly string[]): string =>
  vocabulary.map((token, id) => `${token} ${id}\n`).join('')

/** What the models say in a language: their own code of it, and two words. */
const said = [
  ['en', 'Hello', 'world'],
  ['fr', 'Bonjour', 'monde'],
  ['no', 'Hei', 'verden'],
  ['jw', 'Halo', 'donya'],
] as const

/**
 * A Whisper that says two words, which depend on the language that it is set to. Left to itself it hears English.
 *
 * @param name as in the releases: `tiny`, `tiny.en`
 * @param frames that it takes: as many as a clip has, or a number, as exports of before 2024 did
 * @param attention whether it was exported with what token times are made of: the first word ends at 1 s, the second at 1.5 s
 */
export function writeWhisper(
  folder: string,
  { name = 'tiny', suffix = '', attention = false, frames: taken = 'T' as number | string } = {},
): Promise<string> {
  const isEnglish = name.endsWith('.en')
  const languages = isEnglish ? said.slice(0, 1) : said
  const words = languages.flatMap(([, one, two]) => [` ${one}`, ` ${two}`])
  const specials = ['eot', 'sot', 'translate', 'transcribe', 'no_speech', 'no_timestamps'] as const
  const at = (index: number): number => words.length + index
  const idOf = (special: (typeof specials)[number]): number =>
    at(specials.indexOf(special) + (special === 'eot' || special === 'sot' ? 0 : languages.length))
  const languageId = (index: number): number => at(2 + index)
  const size = words.length + specials.length + languages.length
  const table = new Float32Array(size * size)
  const follow = (id: number, next: number, weight = 10): void => {
    table[id * size + next] = weight
  }
  for (const index of languages.keys()) {
    if (!isEnglish) follow(languageId(index), 2 * index)
    follow(2 * index, 2 * index + 1)
    follow(2 * index + 1, idOf('eot'))
  }
  if (isEnglish) follow(idOf('sot'), 0)
  else follow(idOf('sot'), languageId(0), 1)
  const frames = 1500
  const peaks = new Float32Array(size * frames)
  // The attention of a token is on the sound of the next one.
  const attend = (id: number, middle: number): void => {
    for (let frame = middle - 5; frame < middle + 5; frame += 1) peaks[id * frames + frame] = 100
  }
  attend(idOf('no_timestamps'), 30)
  for (const id of words.keys()) attend(id, id % 2 === 0 ? 55 : 80)
  const cache: Shape = [1, 'batch', 'context', 2]
  const encoder = onnx({
    inputs: [['mel', 'float', [1, 80, taken]]],
    outputs: [
      ['n_layer_cross_k', 'float', [1, 1, 1, 2]],
      ['n_layer_cross_v', 'float', [1, 1, 1, 2]],
    ],
    constants: [tensor('nothing', [1, 1, 1, 2], new Float32Array(2))],
    nodes: ['k', 'v'].map((part) => copied('nothing', `n_layer_cross_${part}`)),
    metadata: {
      model_type: `whisper-${name}`,
      n_mels: 80,
      n_text_layer: 1,
      n_text_ctx: 448,
      n_text_state: 2,
      n_vocab: size,
      blank_id: 0,
      ...Object.fromEntries(specials.map((special) => [special, idOf(special)])),
      is_multilingual: isEnglish ? 0 : 1,
      sot_sequence: (isEnglish ? [idOf('sot')] : [idOf('sot'), languageId(0), idOf('transcribe')]).join(','),
      all_language_tokens: isEnglish ? '' : languages.map((_, index) => languageId(index)).join(','),
      all_language_codes: isEnglish ? '' : languages.map(([code]) => code).join(','),
      ...(attention ? { n_alignment_heads: 1 } : {}),
    },
  })
  const decoder = onnx({
    inputs: [
      ['tokens', 'int64', ['batch', 'n']],
      ['in_n_layer_self_k_cache', 'float', cache],
      ['in_n_layer_self_v_cache', 'float', cache],
      ['n_layer_cross_k', 'float', [1, 1, 1, 2]],
      ['n_layer_cross_v', 'float', [1, 1, 1, 2]],
      ['offset', 'int64', [1]],
    ],
    outputs: [
      ['logits', 'float', ['batch', 'n', size]],
      ['out_n_layer_self_k_cache', 'float', cache],
      ['out_n_layer_self_v_cache', 'float', cache],
      ...(attention ? [['cross_attention_weights', 'float', ['batch', 1, 'n', frames]] as Typed] : []),
    ],
    constants: [
      tensor('table', [size, size], table),
      tensor('along', [1], BigInt64Array.of(1n)),
      ...(attention ? [tensor('peaks', [size, frames], peaks)] : []),
    ],
    nodes: [
      { op: 'Gather', inputs: ['table', 'tokens'], output: 'rows' },
      // The language stands before the last token, whose row it is added to.
      { op: 'CumSum', inputs: ['rows', 'along'], output: 'logits' },
      ...['k', 'v'].map((part) => copied(`in_n_layer_self_${part}_cache`, `out_n_layer_self_${part}_cache`)),
      ...(attention
        ? [
            { op: 'Gather', inputs: ['peaks', 'tokens'], output: 'attended' },
            { op: 'Unsqueeze', inputs: ['attended', 'along'], output: 'cross_attention_weights' },
          ]
        : []),
    ],
  })
  const tokens = words.map((word, id) => `${Buffer.from(word).toString('base64')} ${id}\n`).join('')
  return write(folder, {
    [`${name}-encoder${suffix}.onnx`]: encoder,
    [`${name}-decoder${suffix}.onnx`]: decoder,
    [`${name}-tokens.txt`]: tokens,
  })
}

/** Its own numbers of languages. */
const senseVoiceLanguages = { auto: 0, zh: 3, en: 4, yue: 7, ja: 11, ko: 12 } as const

/** A SenseVoice that says the name of the language that is set, a second after the beginning. Left alone it hears Chinese. */
export function writeSenseVoice(folder: string): Promise<string> {
  const words = ['▁auto', '▁zh', '▁en', '▁yue', '▁ja', '▁ko']
  const marks = [...Object.keys(senseVoiceLanguages).slice(1), 'NEUTRAL', 'Speech', 'withitn'].map(
    (mark) => `<|${mark}|>`,
  )
  const vocabulary = ['<blank>', ...words, ...marks]
  const [frames, size] = [64, vocabulary.length]
  const spoken = new Float32Array(16 * frames * size)
  for (const [index, [code, number]] of Object.entries(senseVoiceLanguages).entries()) {
    const mark = vocabulary.indexOf(`<|${code === 'auto' ? 'zh' : code}|>`)
    const said = [mark, ...['NEUTRAL', 'Speech', 'withitn'].map((name) => vocabulary.indexOf(`<|${name}|>`))]
    for (let frame = 0; frame < frames; frame += 1) {
      // A frame is 60 ms: the word is in the seventeenth and eighteenth.
      const isWord = frame === 4 + 17 || frame === 4 + 18
      const token = said[frame] ?? (isWord ? 1 + index : 0)
      spoken[(number * frames + frame) * size + token] = 1
    }
  }
  const model = onnx({
    inputs: [
      ['x', 'float', [1, 'T', 560]],
      ['x_length', 'int32', [1]],
      ['language', 'int32', [1]],
      ['text_norm', 'int32', [1]],
    ],
    outputs: [['logits', 'float', [1, frames, size]]],
    constants: [tensor('spoken', [16, frames, size], spoken)],
    nodes: [{ op: 'Gather', inputs: ['spoken', 'language'], output: 'logits' }],
    metadata: {
      model_type: 'sense_voice_ctc',
      comment: 'iic/SenseVoiceSmall',
      vocab_size: size,
      lfr_window_size: 7,
      lfr_window_shift: 6,
      normalize_samples: 0,
      with_itn: 14,
      without_itn: 15,
      ...Object.fromEntries(
        Object.entries(senseVoiceLanguages).map(([code, number]) => [`lang_${code}`, number]),
      ),
      neg_mean: Array(560).fill(0).join(','),
      inv_stddev: Array(560).fill(1).join(','),
    },
  })
  return write(folder, { 'model.int8.onnx': model, 'tokens.txt': lines(vocabulary) })
}

/** What a transducer says, and in which of its frames: a word of two pieces, one with a mark behind it, and a third. */
const spoken = [
  ['▁good', 10],
  ['▁mor', 20],
  ['ning', 22],
  [',', 24],
  ['▁you', 40],
] as const

/** Of `spoken` the logits of each frame: `[1, frames, size]`, or `[1, size, frames]`. */
function transducerFrames(vocabulary: readonly string[], blank: number, isTransposed: boolean, extra = 0) {
  const [frames, size] = [50, vocabulary.length + extra]
  const logits = new Float32Array(frames * size)
  for (let frame = 0; frame < frames; frame += 1) {
    const said = spoken.find(([, at]) => at === frame)
    const set = (id: number): void => {
      logits[isTransposed ? id * frames + frame : frame * size + id] = 1
    }
    set(said === undefined ? blank : vocabulary.indexOf(said[0]))
    // Durations of 0 to 4 frames: a piece lasts two.
    if (extra > 0) set(vocabulary.length + (said === undefined ? 1 : 2))
  }
  return { frames, size, logits }
}

/** A Zipformer: four features of 10 ms are a frame. */
export function writeZipformer(folder: string): Promise<string> {
  const vocabulary = ['<blk>', ...spoken.map(([token]) => token), '<unk>']
  const { frames, size, logits } = transducerFrames(vocabulary, 0, false)
  const encoder = onnx({
    inputs: [
      ['x', 'float', ['N', 'T', 80]],
      ['x_lens', 'int64', ['N']],
    ],
    outputs: [
      ['encoder_out', 'float', [1, frames, size]],
      ['encoder_out_lens', 'int64', [1]],
    ],
    constants: [
      tensor('said', [1, frames, size], logits),
      tensor('count', [1], BigInt64Array.of(BigInt(frames))),
    ],
    nodes: [copied('said', 'encoder_out'), copied('count', 'encoder_out_lens')],
    metadata: { model_type: 'zipformer2', version: '1' },
  })
  const decoder = onnx({
    inputs: [['y', 'int64', ['N', 2]]],
    outputs: [['decoder_out', 'float', ['N', size]]],
    constants: [
      tensor('nothing', [size, size], new Float32Array(size * size)),
      tensor('along', [1], BigInt64Array.of(1n)),
    ],
    nodes: [
      { op: 'Gather', inputs: ['nothing', 'y'], output: 'rows' },
      { op: 'ReduceSum', inputs: ['rows', 'along'], output: 'decoder_out', attributes: { keepdims: 0 } },
    ],
    metadata: { vocab_size: size, context_size: 2 },
  })
  const joiner = onnx({
    inputs: [
      ['encoder_out', 'float', ['N', size]],
      ['decoder_out', 'float', ['N', size]],
    ],
    outputs: [['logit', 'float', ['N', size]]],
    constants: [],
    nodes: [{ op: 'Add', inputs: ['encoder_out', 'decoder_out'], output: 'logit' }],
    metadata: { joiner_dim: size },
  })
  return write(folder, {
    'encoder-epoch-30-avg-1.int8.onnx': encoder,
    'decoder-epoch-30-avg-1.onnx': decoder,
    'joiner-epoch-30-avg-1.int8.onnx': joiner,
    'tokens.txt': lines(vocabulary),
  })
}

/** A Parakeet TDT: eight features of 10 ms are a frame, and each piece says how many frames it lasts. */
export function writeParakeet(folder: string): Promise<string> {
  const vocabulary = ['<unk>', ...spoken.map(([token]) => token), '<blk>']
  const { frames, size, logits } = transducerFrames(vocabulary, vocabulary.length - 1, true, 5)
  const state: Shape = [1, 'N', 2]
  const encoder = onnx({
    inputs: [
      ['audio_signal', 'float', ['N', 80, 'T']],
      ['length', 'int64', ['N']],
    ],
    outputs: [
      ['outputs', 'float', [1, size, frames]],
      ['encoded_lengths', 'int64', [1]],
    ],
    constants: [
      tensor('said', [1, size, frames], logits),
      tensor('count', [1], BigInt64Array.of(BigInt(frames))),
    ],
    nodes: [copied('said', 'outputs'), copied('count', 'encoded_lengths')],
    metadata: {
      model_type: 'EncDecRNNTBPEModel',
      vocab_size: vocabulary.length - 1,
      normalize_type: 'per_feature',
      pred_rnn_layers: 1,
      pred_hidden: 2,
      subsampling_factor: 8,
      url: 'https://huggingface.co/nvidia/parakeet-tdt-0.6b-v3',
    },
  })
  const decoder = onnx({
    inputs: [
      ['targets', 'int32', ['N', 1]],
      ['target_length', 'int32', ['N']],
      ['states.1', 'float', state],
      ['states.2', 'float', state],
    ],
    outputs: [
      ['outputs', 'float', [1, size, 1]],
      ['prednet_lengths', 'int32', ['N']],
      ['states', 'float', state],
      ['162', 'float', state],
    ],
    constants: [tensor('nothing', [1, size, 1], new Float32Array(size))],
    nodes: [
      copied('nothing', 'outputs'),
      copied('target_length', 'prednet_lengths'),
      copied('states.1', 'states'),
      copied('states.2', '162'),
    ],
  })
  const joiner = onnx({
    inputs: [
      ['encoder_outputs', 'float', [1, size, 1]],
      ['decoder_outputs', 'float', [1, size, 1]],
    ],
    outputs: [['outputs', 'float', [1, 1, 1, size]]],
    constants: [tensor('shape', [4], BigInt64Array.of(1n, 1n, 1n, BigInt(size)))],
    nodes: [
      { op: 'Add', inputs: ['encoder_outputs', 'decoder_outputs'], output: 'sum' },
      { op: 'Reshape', inputs: ['sum', 'shape'], output: 'outputs' },
    ],
  })
  return write(folder, {
    'encoder.int8.onnx': encoder,
    'decoder.int8.onnx': decoder,
    'joiner.int8.onnx': joiner,
    'tokens.txt': lines(vocabulary),
  })
}
