/** The used part of sherpa-onnx-node, whose own types are only in JSDoc. */
declare module 'sherpa-onnx-node' {
  export interface OfflineStream {
    acceptWaveform(waveform: { readonly samples: Float32Array; readonly sampleRate: number }): void
  }

  /** The files of one model: those of its architecture, and its tokens. */
  export interface SherpaModelConfig {
    readonly moonshine?: { readonly encoder: string; readonly mergedDecoder: string }
    readonly whisper?: {
      readonly encoder: string
      readonly decoder: string
      readonly language: string
      readonly task: 'transcribe'
      /** 1 is valid only if the decoder was exported with its attention. */
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

  /** Subword tokens; times in seconds, absent where the model returns none. */
  export interface TimedTokens {
    readonly text: string
    readonly tokens?: readonly string[]
    readonly timestamps?: readonly number[]
    readonly durations?: readonly number[]
  }

  export interface OfflineRecognizer {
    createStream(): OfflineStream
    /** Only Whisper's own settings apply, from the next decode on; other architectures end the process. */
    setConfig(config: { readonly modelConfig: OfflineModelConfig }): void
    decodeAsync(stream: OfflineStream): Promise<TimedTokens & { readonly lang?: string }>
  }

  export interface VadConfig {
    readonly sileroVad: {
      readonly model: string
      readonly threshold: number
      /** In seconds, as are the other durations. */
      readonly minSilenceDuration: number
      readonly minSpeechDuration: number
      readonly maxSpeechDuration: number
      /** In samples. */
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
