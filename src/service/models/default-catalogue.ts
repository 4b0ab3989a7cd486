import type {
  Catalogue,
  CatalogueModel,
  InstallableModel,
  WeightsFile,
  WeightsPackage,
} from '../engines/engine.ts'
import { sherpaEngine } from '../engines/sherpa.ts'
import { sherpaFamilies } from '../engines/sherpa-families.ts'

/** Silero VAD 5, a voice activity detector. @see https://github.com/snakers4/silero-vad */
const voiceActivityModel: InstallableModel = {
  id: 'silero-vad',
  family: 'silero',
  displayName: 'Silero VAD, finds where long recordings can be cut',
  languages: [],
  licence: 'MIT',
  sizeBytes: 2_327_524,
  weights: {
    package: {
      name: '@ricky0123/vad-web',
      version: '0.0.31',
      integrity:
        'sha512-ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==',
      sizeBytes: 5_471_324,
    },
    files: [
      {
        name: 'silero_vad.onnx',
        sizeBytes: 2_327_524,
        sha256: '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f',
        origin: { kind: 'packed', path: 'dist/silero_vad_v5.onnx' },
      },
    ],
  },
}

/** Both sizes come in one package, so one download serves both. */
const moonshinePackage: WeightsPackage = {
  name: '@usefulsensors/moonshine-js',
  version: '0.1.14',
  integrity:
    'sha512-AbpOnDdMSZ8ZlZYdlUb2UvzBb1Yk9rVoU9BWPtXLpdrt5A6CoDbEct7guLkpcT+GhTtwpsiRrQR1CH1KQy8/mQ==',
  sizeBytes: 72_711_419,
}

/** Names that the engine knows its files by. */
const moonshineFiles = {
  encoder: 'encoder_model.onnx',
  decoder: 'decoder_model_merged.onnx',
  tokens: 'tokens.txt',
} as const

const tokens: WeightsFile = {
  name: moonshineFiles.tokens,
  sizeBytes: 552_826,
  sha256: 'a7048b28eb45320ad1ed97cf3fe7d8050e105ab031c02881d6ab7a58eaa7c90b',
  origin: { kind: 'llamaVocabulary' },
}

function packed(size: 'tiny' | 'base', name: string, sizeBytes: number, sha256: string): WeightsFile {
  return { name, sizeBytes, sha256, origin: { kind: 'packed', path: `dist/model/${size}/quantized/${name}` } }
}

function moonshine(
  size: 'tiny' | 'base',
  displayName: string,
  packedFiles: readonly WeightsFile[],
): CatalogueModel {
  const files = [...packedFiles, tokens]
  return {
    id: `moonshine-${size}`,
    family: 'moonshine',
    localKey: 'engine_a',
    kind: 'voice',
    displayName,
    languages: ['en'],
    licence: 'MIT',
    sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    weights: { package: moonshinePackage, files },
  }
}

/** Moonshine, quantised to 8 bits. @see Jeffries et al. 2024, arXiv:2410.15608 */
const moonshineModels: readonly CatalogueModel[] = [
  moonshine('tiny', 'Moonshine Tiny (English)', [
    packed(
      'tiny',
      moonshineFiles.encoder,
      7_937_661,
      'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
    ),
    packed(
      'tiny',
      moonshineFiles.decoder,
      20_243_286,
      'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
    ),
  ]),
  moonshine('base', 'Moonshine Base (English)', [
    packed(
      'base',
      moonshineFiles.encoder,
      20_513_063,
      '1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751',
    ),
    packed(
      'base',
      moonshineFiles.decoder,
      42_498_870,
      'cc9f3cd6698a369c6008b41aa60aa3fb3322e7f03c9bdf19d8e6b7200afca4f3',
    ),
  ]),
]

/** The models that transcribench can install, and the engines that run them. */
export const defaultCatalogue: Catalogue = {
  models: moonshineModels,
  engines: sherpaFamilies.map(sherpaEngine),
  voiceActivity: voiceActivityModel,
}
