/** Texts of a list that grows, as bytes: millions of them as JavaScript strings take three times as much. */
export interface PackedTexts {
  add(text: string): void
  readonly length: number
  at(index: number): string
}

const textsInPieceBits = 11
const textsInPiece = 2 ** textsInPieceBits

interface Piece {
  readonly bytes: Buffer
  /** Where each text ends; it begins where the one before it ends. */
  readonly ends: Uint32Array
}

/** @param encoding `hex` for texts that are hexadecimal digits in pairs */
export function packedTexts(encoding: 'utf8' | 'hex' = 'utf8'): PackedTexts {
  const pieces: Piece[] = []
  let open: string[] = []
  return {
    add(text) {
      open.push(text)
      if (open.length < textsInPiece) return
      pieces.push(packed(open, encoding))
      open = []
    },
    get length() {
      return pieces.length * textsInPiece + open.length
    },
    at(index) {
      const place = index & (textsInPiece - 1)
      const piece = pieces[index >>> textsInPieceBits]
      if (piece === undefined) return open[place] as string
      const { bytes, ends } = piece
      return bytes.toString(encoding, place === 0 ? 0 : ends[place - 1], ends[place])
    },
  }
}

/** In a block of memory of exactly their size. */
function packed(texts: readonly string[], encoding: BufferEncoding): Piece {
  const ends = new Uint32Array(texts.length)
  let size = 0
  for (const [place, text] of texts.entries()) {
    size += Buffer.byteLength(text, encoding)
    ends[place] = size
  }
  const bytes = Buffer.allocUnsafeSlow(size)
  for (const [place, text] of texts.entries()) bytes.write(text, ends[place - 1] ?? 0, encoding)
  return { bytes, ends }
}
