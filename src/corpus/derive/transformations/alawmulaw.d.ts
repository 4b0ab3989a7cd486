/** The package's own types are of an older TypeScript. This is what `mulaw.ts` calls. */
declare module 'alawmulaw/dist/alawmulaw.js' {
  const codecs: {
    readonly mulaw: {
      encode(samples: Int16Array): Uint8Array
      decode(samples: Uint8Array): Int16Array
    }
  }
  export default codecs
}
