const prefix = '#utterance='

/** The address of one utterance in the page: what a link to it ends with. */
export function utteranceAddress(id: string): string {
  return prefix + encodeURIComponent(id)
}

/** The utterance that an address ends with; null where it names none. */
export function addressedUtterance(hash: string): string | null {
  if (!hash.startsWith(prefix)) return null
  try {
    return decodeURIComponent(hash.slice(prefix.length))
  } catch {
    // A mistyped escape names no utterance.
    return null
  }
}
