const pieceBytes = 1_048_576

/** A body of this many bytes, in pieces, so that it is never whole in memory: one JSON string without an end. */
export function* oversized(sizeBytes: number): Iterable<Uint8Array> {
  yield* framed('{"name":"', '', sizeBytes)
}

/** A text between two others, filled with `A` until it has this many bytes. */
export function* framed(head: string, tail: string, sizeBytes: number): Iterable<Uint8Array> {
  const utf8 = new TextEncoder()
  const start = utf8.encode(head)
  const end = utf8.encode(tail)
  yield start
  const piece = new Uint8Array(pieceBytes).fill('A'.charCodeAt(0))
  for (let left = sizeBytes - start.length - end.length; left > 0; left -= piece.length) {
    yield piece.subarray(0, Math.min(left, piece.length))
  }
  if (end.length > 0) yield end
}

export function inOnePiece(pieces: Iterable<Uint8Array>): Uint8Array {
  const all = [...pieces]
  const whole = new Uint8Array(all.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of all) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
