import { createHmac, timingSafeEqual } from 'node:crypto'
import { programVersion } from '#installation/installation'
import { fleetErrors } from '../errors.ts'

/** A message with the signature of its fleet. */
export interface Sealed {
  /** The JSON text exactly as it was signed. */
  readonly text: string
  /** HMAC-SHA256 of the text, hexadecimal. */
  readonly signature: string
}

/** Signed content, which is valid for one place in one fleet and for a limited time. */
interface Signed {
  readonly fleet: string
  /** Place of the queue and its job, or of a key; a copy in another place is refused. */
  readonly place: string
  readonly expiresAtMs: number
  readonly version: string
  readonly body: unknown
}

/** Name of the fleet, and the key that its hosts share. */
export interface FleetIdentity {
  readonly fleet: string
  readonly key: string
}

/** Minimum length of a key, that of `openssl rand -hex 16`. */
const shortestKey = 32

/** @throws BenchError FLEET_KEY_MISSING */
export function fleetKey(env: Readonly<Record<string, string | undefined>>): string {
  const key = env['TRANSCRIBENCH_FLEET_KEY'] ?? ''
  if (key.length >= shortestKey) return key
  throw fleetErrors.make('FLEET_KEY_MISSING', {
    message: `TRANSCRIBENCH_FLEET_KEY ${key === '' ? 'is not set' : `has fewer than ${shortestKey} characters`}`,
    hint: 'make one key, and set it on every host of the fleet: openssl rand -hex 32',
  })
}

export function seal(
  body: unknown,
  { fleet, key }: FleetIdentity,
  { place, expiresAtMs }: Pick<Signed, 'place' | 'expiresAtMs'>,
): Sealed {
  const text = JSON.stringify({ fleet, place, expiresAtMs, version: programVersion(), body } satisfies Signed)
  return { text, signature: sign(text, key) }
}

/** The reason why a message is not trusted. */
export class DistrustError extends Error {}

/** Reasons that the sender can fix: it has another key, or its message waited for too long. */
export const otherKey = 'is signed with another TRANSCRIBENCH_FLEET_KEY'
export const expired = 'has expired'

/**
 * Verifies a message before its content is parsed.
 *
 * @param nowMs by the clock of Redis, which all hosts share
 * @throws DistrustError; BenchError FLEET_VERSION_DIFFERS
 */
export function unseal<Body>(
  sealed: unknown,
  { fleet, key }: FleetIdentity,
  { place, nowMs }: { readonly place: string; readonly nowMs: number },
): Body {
  const { text, signature } = (sealed ?? {}) as Partial<Sealed>
  if (typeof text !== 'string' || typeof signature !== 'string') throw new DistrustError('is not signed')
  if (!isEqual(signature, sign(text, key))) throw new DistrustError(otherKey)
  const signed = JSON.parse(text) as Signed
  if (signed.fleet !== fleet) throw new DistrustError(`is of the fleet "${signed.fleet}"`)
  if (signed.place !== place) throw new DistrustError('was signed for another place')
  if (signed.expiresAtMs < nowMs) throw new DistrustError(expired)
  if (signed.version !== programVersion()) {
    throw fleetErrors.make('FLEET_VERSION_DIFFERS', {
      message: `a message comes from transcribench ${signed.version}, this is ${programVersion()}`,
      hint: 'install the same version on every host of the fleet',
    })
  }
  return signed.body as Body
}

function sign(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}

/** Compares two texts in constant time. */
function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
