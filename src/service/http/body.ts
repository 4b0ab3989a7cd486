import type { IncomingMessage } from 'node:http'
import { failed, type Outcome, succeeded } from '#prelude'
import type { Profile } from '../profiles.ts'
import { envelope, type Refusal, refused } from './refusal.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Which of the profile's answers an oversized body gets. */
export type BodyRoute = keyof Profile['oversize']

/**
 * Reads a body that has to be one JSON object. It is refused at the limit, not after it has been read: what
 * the client still sends is thrown away as it comes.
 */
export async function readJsonObject(
  request: IncomingMessage,
  profile: Profile,
  route: BodyRoute,
): Promise<Outcome<JsonObject, Refusal>> {
  if (request.headers['content-type']?.toLowerCase().startsWith('multipart/')) {
    return refused('INVALID_REQUEST', 'Multipart requests are not accepted.', 'Send JSON.')
  }
  const read = await readUpTo(request, profile.requestBytes)
  if (read === 'cut off') return refused('INVALID_REQUEST', 'The request ended before its body did.')
  if (read === 'too long') return failed(profile.oversize[route])
  let value: unknown
  try {
    value = JSON.parse(read.toString('utf8'))
  } catch {
    // Where it went wrong is the client's to find out; the answer's text is fixed.
    return failed(envelope('INVALID_REQUEST', 'Invalid JSON body', { httpStatus: 400 }))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused('INVALID_REQUEST', 'The body is not a JSON object.')
  }
  return succeeded(value as JsonObject)
}

async function readUpTo(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | 'too long' | 'cut off'> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return 'too long'
  const chunks: Buffer[] = []
  let sizeBytes = 0
  // Not `for await`, which would destroy the connection when it is left early.
  return new Promise((resolve) => {
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length
      if (sizeBytes <= limitBytes) chunks.push(chunk)
      else {
        chunks.length = 0
        resolve('too long')
      }
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', () => resolve('cut off'))
    request.once('close', () => resolve('cut off'))
  })
}
