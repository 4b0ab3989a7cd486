import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import canonicalize from 'canonicalize'

/**
 * Names a value by its content: equal values have equal fingerprints, whatever the order of their keys.
 *
 * @param value anything JSON can carry
 * @returns 64 hexadecimal digits: SHA-256 of the value's canonical JSON
 * @see RFC 8785, JSON Canonicalization Scheme
 */
export function fingerprint(value: unknown): string {
  const canonical = canonicalize(value)
  if (canonical === undefined) throw new TypeError('a value without a JSON form has no fingerprint')
  return bytesToHex(sha256(utf8ToBytes(canonical)))
}

/**
 * The fingerprint of a list, without its JSON in one piece: that may be longer than a text can be.
 *
 * @returns what `fingerprint` returns for the array of what `named` returns
 */
export function fingerprintOfList<Element>(
  elements: Iterable<Element>,
  named: (element: Element) => unknown,
): string {
  const hash = sha256.create()
  let separator = '['
  for (const element of elements) {
    const canonical = canonicalize(named(element))
    if (canonical === undefined) throw new TypeError('a value without a JSON form has no fingerprint')
    hash.update(utf8ToBytes(separator + canonical))
    separator = ','
  }
  hash.update(utf8ToBytes(separator === '[' ? '[]' : ']'))
  return bytesToHex(hash.digest())
}
