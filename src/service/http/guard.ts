import type { IncomingMessage } from 'node:http'
import type { Profile } from '../profiles.ts'
import { envelope, type Refusal } from './refusal.ts'

const loopbackHosts = ['127.0.0.1', 'localhost']
const loopbackOrigins = [...loopbackHosts, '[::1]']
const friendlySites = ['same-origin', 'none']

/**
 * Turns away what a web page or a rebound DNS name may have sent, before anything else is looked at.
 *
 * @param head the limits of a request head; null for none
 * @returns null for a request that may go on
 */
export function guard(request: IncomingMessage, head: Profile['head']): Refusal | null {
  if (head !== null && isTooLong(request, head)) return { kind: 'bare', httpStatus: 431 }
  const port = request.socket.localPort
  const { host, origin, 'sec-fetch-site': site } = request.headers
  if (countOf(request, 'host') !== 1 || !isLoopback(host, port)) {
    return forbidden('The Host header does not name this service.')
  }
  if (!(request.url ?? '').startsWith('/') && request.url !== '*') {
    return forbidden('The request line names another host.')
  }
  if (origin !== undefined && !isLoopbackOrigin(origin, port)) {
    return forbidden('The Origin header names another origin.')
  }
  if (site !== undefined && !friendlySites.includes(String(site))) {
    return forbidden('The request comes from another site.')
  }
  return null
}

/** The path of a request line in absolute form, which overrules the Host header; another host's is left for the guard. */
export function ownPath(request: IncomingMessage): string {
  const { url = '/', socket } = request
  const [origin, host] = /^http:\/\/([^/?#]*)/i.exec(url) ?? []
  if (origin === undefined || !isLoopback(host, socket.localPort)) return url
  const path = url.slice(origin.length)
  return path.startsWith('/') ? path : `/${path}`
}

function isLoopback(host: string | undefined, port: number | undefined): boolean {
  return loopbackHosts.some((name) => host?.toLowerCase() === `${name}:${port}`)
}

function isLoopbackOrigin(origin: string, port: number | undefined): boolean {
  return loopbackOrigins.some((name) =>
    ['http', 'https'].some((scheme) => origin.toLowerCase() === `${scheme}://${name}:${port}`),
  )
}

function countOf(request: IncomingMessage, name: string): number {
  return request.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length
}

function isTooLong(request: IncomingMessage, limits: NonNullable<Profile['head']>): boolean {
  const lines = linesOf(request)
  // Every line ends in CRLF, and so does the empty one behind the last.
  const totalBytes = lines.reduce((sum, line) => sum + line.length + 2, 2)
  return totalBytes > limits.totalBytes || lines.some((line) => line.length > limits.lineBytes)
}

/** The lines of the head as they were most likely sent; a character is a byte of them. */
function linesOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string[] {
  const headers = rawHeaders.flatMap((text, index) =>
    index % 2 === 1 ? [`${rawHeaders[index - 1]}: ${text}`] : [],
  )
  return [`${method} ${url} HTTP/${httpVersion}`, ...headers]
}

function forbidden(message: string): Refusal {
  return envelope('INVALID_REQUEST', message, { httpStatus: 403 })
}
