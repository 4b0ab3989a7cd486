import { randomUUID } from 'node:crypto'
import { formFrame } from '#contract'
import type { ProviderProtocol, ProviderStep } from '#providers'

/** One request over HTTP. */
export interface ProviderRequest {
  readonly method: ProviderStep['method']
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Parts that follow each other; null for none. */
  readonly body: readonly Uint8Array[] | null
}

export interface AskedProvider {
  readonly protocol: Pick<ProviderProtocol, 'access'>
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Null for a server that wants none. */
  readonly key: string | null
}

/** A step of a protocol with the audio, a WAV file, in its place. */
export function requestOf(
  { method, path, headers: more = {}, body }: ProviderStep,
  audio: Uint8Array<ArrayBuffer>,
  { protocol, baseUrl, key }: AskedProvider,
): ProviderRequest {
  const url = baseUrl + path
  const { access } = protocol
  const secret = key === null || access.kind !== 'key' ? {} : Object.fromEntries([access.header(key)])
  const carried = (contentType: string, parts: readonly Uint8Array[]): ProviderRequest => ({
    method,
    url,
    headers: { 'content-type': contentType, ...more, ...secret },
    body: parts,
  })
  switch (body.kind) {
    case 'none':
      return { method, url, headers: { ...more, ...secret }, body: null }
    case 'json':
      return carried(body.contentType ?? 'application/json', [Buffer.from(JSON.stringify(body.value))])
    case 'base64': {
      const encoded = Buffer.from(Buffer.from(audio).toString('base64'))
      return carried('application/json', [Buffer.from(body.head), encoded, Buffer.from(body.tail)])
    }
    case 'audio':
      return carried(body.contentType ?? 'audio/wav', [audio])
    case 'form': {
      const file = { name: body.file, fileName: 'audio.wav', mimeType: 'audio/wav' }
      const { contentType, head, tail } = formFrame(`transcribench-${randomUUID()}`, body.fields, file)
      return carried(contentType, [Buffer.from(head), audio, Buffer.from(tail)])
    }
  }
}
