/** The used part; the package's own types are for an older TypeScript. */
declare module 'alawmulaw/dist/alawmulaw.js' {
  const codecs: {
    readonly mulaw: {
      encode(samples: Int16Array): Uint8Array
      decode(samples: Uint8Array): Int16Array
    }
  }
  export default codecs
}

declare module 'xz-decompress' {
  import type { ReadableStream } from 'node:stream/web'

  /** Decompresses .xz as a stream. The package's types declare a named export, which Node does not find in CommonJS. */
  const library: {
    readonly XzReadableStream: new (packed: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>
  }
  export default library
}
