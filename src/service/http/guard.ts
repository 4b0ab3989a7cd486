import type { IncomingMessage } from 'node:http'
import type { Profile } from '../profiles.ts'
import { envelope, type Refusal } from './refusal.ts'

const loopbackHosts = ['127.0.0.1', 'localhost']
const loopbackOrigins = [...loopbackHosts, '[::1]']
const friendlySites = ['same-origin', 'none']

/**
 * Turns away what a web page or a rebound DNS name may have sent, before anything else is looked at.
 *
 * @returns null for a request that may go on
 */
export function guard(request: IncomingMessage, profile: Profile): Refusal | null {
  if (hasLongLine(request, profile.head.lineBytes)) return { kind: 'bare', httpStatus: 431 }
  const port = request.socket.localPort
  const { host, origin, 'sec-fetch-site': site } = request.headers
  if (countOf(request, 'host') !== 1 || !isLoopback(host, port)) {
    return forbidden('The Host header does not name this service.')
  }
  if (origin !== undefined && !isLoopbackOrigin(origin, port)) {
    return forbidden('The Origin header names another origin.')
  }
  if (site !== undefined && !friendlySites.includes(String(site))) {
    return forbidden('The request comes from another site.')
  }
  return null
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

function hasLongLine(request: IncomingMessage, lineBytes: number | null): boolean {
  if (lineBytes === null) return false
  const requestLine = `${request.method} ${request.url} HTTP/${request.httpVersion}`
  if (requestLine.length > lineBytes) return true
  const { rawHeaders } = request
  return rawHeaders.some((text, index) => {
    const isValue = index % 2 === 1
    return isValue && `${rawHeaders[index - 1]}: ${text}`.length > lineBytes
  })
}

function forbidden(message: string): Refusal {
  return envelope('INVALID_REQUEST', message, { httpStatus: 403 })
}
