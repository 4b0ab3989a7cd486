/** The part of a file that a request asks for, both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Reads a Range header with a single range.
 *
 * @param sizeBytes of the whole file
 * @returns null where the whole file is to be sent (no header, several ranges, or one that is none);
 *   `unsatisfiable` where nothing of the file lies in it
 * @see RFC 9110, section 14
 */
export function readByteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | null | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '') {
    const length = Math.min(sizeBytes, Number(last))
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  const start = Number(first)
  if (start >= sizeBytes) return 'unsatisfiable'
  const end = last === '' ? sizeBytes - 1 : Math.min(sizeBytes - 1, Number(last))
  return end < start ? null : { start, end }
}
