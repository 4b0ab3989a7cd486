/** The part of sherpa-onnx-node that we call; the package itself carries JSDoc only. */
declare module 'sherpa-onnx-node' {
  export interface OfflineStream {
    acceptWaveform(waveform: { readonly samples: Float32Array; readonly sampleRate: number }): void
  }

  /** The files of one model: one of the architectures, and its tokens. */
  export interface SherpaModelConfig {
    readonly moonshine?: { readonly encoder: string; readonly mergedDecoder: string }
    readonly whisper?: {
      readonly encoder: string
      readonly decoder: string
      readonly language: string
      readonly task: 'transcribe'
      /** 1 only where the decoder was exported with its attention. */
      readonly enableTokenTimestamps: 0 | 1
    }
    readonly transducer?: { readonly encoder: string; readonly decoder: string; readonly joiner: string }
    readonly senseVoice?: {
      readonly model: string
      readonly language: string
      readonly useInverseTextNormalization: 0 | 1
    }
    readonly modelType?: 'nemo_transducer' | 'transducer'
    readonly tokens: string
  }

  export interface OfflineModelConfig extends SherpaModelConfig {
    readonly numThreads: number
    readonly provider: 'cpu'
    readonly debug: 0 | 1
  }

  /** Pieces of words; times in seconds, none where the model gives none. */
  export interface TimedTokens {
    readonly text: string
    readonly tokens?: readonly string[]
    readonly timestamps?: readonly number[]
    readonly durations?: readonly number[]
  }

  export interface OfflineRecognizer {
    createStream(): OfflineStream
    /** Of Whisper only its own part counts, from the next decode on; other architectures end the process. */
    setConfig(config: { readonly modelConfig: OfflineModelConfig }): void
    decodeAsync(stream: OfflineStream): Promise<TimedTokens & { readonly lang?: string }>
  }

  export interface VadConfig {
    readonly sileroVad: {
      readonly model: string
      readonly threshold: number
      /** Seconds, like the others. */
      readonly minSilenceDuration: number
      readonly minSpeechDuration: number
      readonly maxSpeechDuration: number
      /** Samples. */
      readonly windowSize: number
    }
    readonly sampleRate: number
    readonly numThreads: number
    readonly provider: 'cpu'
    readonly debug: 0 | 1
  }

  export interface Vad {
    acceptWaveform(samples: Float32Array): void
    isEmpty(): boolean
    isDetected(): boolean
    pop(): void
    reset(): void
  }

  const sherpa: {
    readonly Vad: new (config: VadConfig, bufferSizeInSeconds: number) => Vad
    readonly OfflineRecognizer: {
      createAsync(config: { readonly modelConfig: OfflineModelConfig }): Promise<OfflineRecognizer>
    }
  }
  export default sherpa
}
