/** The package ships no types. These are the functions of speex_resampler.h that `resampling.ts` calls. */
declare module '@echogarden/speex-resampler-wasm/simd' {
  type Pointer = number

  interface SpeexResampler {
    readonly HEAPF32: Float32Array
    readonly HEAP32: Int32Array
    _malloc(sizeBytes: number): Pointer
    _speex_resampler_init(
      channels: number,
      fromHz: number,
      toHz: number,
      quality: number,
      error: Pointer,
    ): Pointer
    _speex_resampler_skip_zeros(state: Pointer): number
    _speex_resampler_process_float(
      state: Pointer,
      channel: number,
      input: Pointer,
      inputCount: Pointer,
      output: Pointer,
      outputCount: Pointer,
    ): number
  }

  export default function load(): Promise<SpeexResampler>
}

/** The used part; the package's own types are for an older TypeScript. */
declare module 'alawmulaw/dist/alawmulaw.js' {
  interface Codec {
    encode(samples: Int16Array): Uint8Array
    decode(samples: Uint8Array): Int16Array
  }
  const codecs: { readonly alaw: Codec; readonly mulaw: Codec }
  export default codecs
}
