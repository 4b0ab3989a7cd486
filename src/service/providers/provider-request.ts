import { randomUUID } from 'node:crypto'
import { formFrame } from '#contract'
import type { ProviderProtocol, ProviderStep } from '#providers'

/** One request over HTTP. */
export interface ProviderRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Parts that follow each other; null for none. */
  readonly body: readonly Uint8Array[] | null
}

export interface AskedProvider {
  readonly protocol: Pick<ProviderProtocol, 'keyHeader'>
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Null for a server that wants none. */
  readonly key: string | null
}

/** A step of a protocol with the audio, a WAV file, in its place. */
export function requestOf(
  { method, path, body }: ProviderStep,
  audio: Uint8Array<ArrayBuffer>,
  { protocol, baseUrl, key }: AskedProvider,
): ProviderRequest {
  const url = baseUrl + path
  const secret = key === null ? {} : Object.fromEntries([protocol.keyHeader(key)])
  const carried = (contentType: string, parts: readonly Uint8Array[]): ProviderRequest => ({
    method,
    url,
    headers: { 'content-type': contentType, ...secret },
    body: parts,
  })
  switch (body.kind) {
    case 'none':
      return { method, url, headers: secret, body: null }
    case 'json':
      return carried('application/json', [Buffer.from(JSON.stringify(body.value))])
    case 'audio':
      return carried('audio/wav', [audio])
    case 'form': {
      const file = { name: body.file, fileName: 'audio.wav', mimeType: 'audio/wav' }
      const { contentType, head, tail } = formFrame(`transcribench-${randomUUID()}`, body.fields, file)
      return carried(contentType, [Buffer.from(head), audio, Buffer.from(tail)])
    }
  }
}
