/** A body that marks its end by a text that is in none of its parts. */
const boundary = 'transcribench-7b0c5c1d3f'

/** Text parts, and one named `audio` with the bytes. */
export function multipart(
  fields: Readonly<Record<string, string>>,
  audio: Uint8Array,
): { readonly body: Uint8Array; readonly contentType: string } {
  const { head, tail, contentType } = multipartFrame(fields)
  const body = new Uint8Array(head.length + audio.length + tail.length)
  body.set(head)
  body.set(audio, head.length)
  body.set(tail, head.length + audio.length)
  return { body, contentType }
}

/** The bytes before and after the audio. */
export function multipartFrame(fields: Readonly<Record<string, string>>): {
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly contentType: string
} {
  const utf8 = new TextEncoder()
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const audioHead =
    `--${boundary}\r\nContent-Disposition: form-data; name="audio"; filename="tone.wav"\r\n` +
    'Content-Type: audio/wav\r\n\r\n'
  return {
    head: utf8.encode(parts.join('') + audioHead),
    tail: utf8.encode(`\r\n--${boundary}--\r\n`),
    contentType: `multipart/form-data; boundary=${boundary}`,
  }
}
