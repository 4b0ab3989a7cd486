import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import canonicalize from 'canonicalize'

/**
 * Names a value by its content: equal values have equal fingerprints, whatever the order of their keys.
 *
 * @param value anything JSON can carry
 * @returns 64 hexadecimal digits: SHA-256 of the value's canonical JSON
 */
export function fingerprint(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))))
}

/**
 * @param value anything JSON can carry
 * @returns the same text for equal values
 * @see RFC 8785, JSON Canonicalization Scheme
 */
function canonicalJson(value: unknown): string {
  const canonical = canonicalize(value)
  if (canonical === undefined) throw new TypeError('a value without a JSON form has no fingerprint')
  return canonical
}
