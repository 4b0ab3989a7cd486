declare module 'xz-decompress' {
  import type { ReadableStream } from 'node:stream/web'

  /** Decompresses .xz as a stream. The package's types declare a named export, which Node does not find in CommonJS. */
  const library: {
    readonly XzReadableStream: new (packed: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>
  }
  export default library
}
