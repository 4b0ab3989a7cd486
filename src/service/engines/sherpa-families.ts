import type { SherpaModelConfig } from 'sherpa-onnx-node'
import type { FileName, RoleFiles, Roles } from './sherpa-files.ts'

/** One architecture that sherpa-onnx runs. */
export interface SherpaFamily {
  readonly family: string
  readonly displayName: string
  /** The files that it needs, by their usual names in the releases of sherpa-onnx. */
  readonly roles: Roles
  /** Maximum input length; longer audio is cut at silences. */
  readonly maxClipSeconds: number
  /** @param at gives the absolute path of a role's file */
  config(at: (role: string) => string): Omit<SherpaModelConfig, 'tokens'>
  /** The language of its models where the files' names contain it; null for models that detect the language. */
  language(files: RoleFiles): string | null
}

const tokens: FileName = { pattern: /tokens\.txt$/, like: '*tokens.txt' }
const onnx = (part: string): FileName => ({
  pattern: new RegExp(`^(.*[-_])?${part}([-_.].*)?\\.onnx$`),
  like: `*${part}*.onnx`,
})
const transducerRoles: Roles = {
  encoder: onnx('encoder'),
  decoder: onnx('decoder'),
  joiner: onnx('joiner'),
  tokens,
}

/** Whisper always decodes 30 s, padded with silence, and sherpa-onnx drops the rest. */
const whisper: SherpaFamily = {
  family: 'whisper',
  displayName: 'Whisper',
  roles: { encoder: onnx('encoder'), decoder: onnx('decoder'), tokens },
  maxClipSeconds: 30,
  config: (at) => ({
    // An empty language makes a multilingual model detect the language.
    whisper: { encoder: at('encoder'), decoder: at('decoder'), language: '', task: 'transcribe' },
  }),
  // The English models are named tiny.en, base.en and so on.
  language: ({ encoder = '' }) => (/\.en[-.]/.test(encoder) ? 'en' : null),
}

/** Parakeet and other transducers of NVIDIA NeMo. Their attention sees all of a clip, in memory that grows with it. */
const nemoTransducer: SherpaFamily = {
  family: 'nemo-transducer',
  displayName: 'NeMo transducer (Parakeet)',
  roles: transducerRoles,
  maxClipSeconds: 60,
  config: (at) => ({
    transducer: { encoder: at('encoder'), decoder: at('decoder'), joiner: at('joiner') },
    modelType: 'nemo_transducer',
  }),
  language: () => null,
}

const zipformer: SherpaFamily = {
  family: 'zipformer',
  displayName: 'Zipformer transducer',
  roles: transducerRoles,
  maxClipSeconds: 30,
  config: (at) => ({
    transducer: { encoder: at('encoder'), decoder: at('decoder'), joiner: at('joiner') },
    modelType: 'transducer',
  }),
  language: () => null,
}

const senseVoice: SherpaFamily = {
  family: 'sense-voice',
  displayName: 'SenseVoice',
  roles: { model: onnx('model'), tokens },
  maxClipSeconds: 30,
  config: (at) => ({
    senseVoice: { model: at('model'), language: '', useInverseTextNormalization: 1 },
  }),
  language: () => null,
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
  maxClipSeconds: 30,
  config: (at) => ({ moonshine: { encoder: at('encoder'), mergedDecoder: at('decoder') } }),
  language: () => 'en',
}

/** Every architecture whose models can be run, and added. */
export const sherpaFamilies: readonly SherpaFamily[] = [
  moonshine,
  whisper,
  nemoTransducer,
  senseVoice,
  zipformer,
]
