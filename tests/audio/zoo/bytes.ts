/** Bytes, text in Latin letters, or a list of such. */
export type Piece = Uint8Array | string | readonly Piece[]

/** Puts pieces one behind the other. */
export function join(...pieces: readonly Piece[]): Buffer {
  return Buffer.concat(pieces.map(asBytes))
}

function asBytes(piece: Piece): Uint8Array {
  if (typeof piece === 'string') return Buffer.from(piece, 'latin1')
  return piece instanceof Uint8Array ? piece : join(...piece)
}

/** Numbers of so many bytes, the lowest byte first. */
export function little(size: 1 | 2 | 3 | 4 | 8, ...values: readonly number[]): Buffer {
  return numbers(values, size, (bytes, value, offset) =>
    size === 8
      ? bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), offset)
      : bytes.writeUIntLE(modulo(value, size), offset, size),
  )
}

/** Numbers of so many bytes, the highest byte first. */
export function big(size: 1 | 2 | 3 | 4 | 8, ...values: readonly number[]): Buffer {
  return numbers(values, size, (bytes, value, offset) =>
    size === 8
      ? bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)), offset)
      : bytes.writeUIntBE(modulo(value, size), offset, size),
  )
}

function numbers(
  values: readonly number[],
  size: number,
  write: (bytes: Buffer, value: number, offset: number) => number,
): Buffer {
  const bytes = Buffer.alloc(values.length * size)
  values.forEach((value, index) => {
    write(bytes, value, index * size)
  })
  return bytes
}

function modulo(value: number, size: number): number {
  const range = 2 ** (size * 8)
  return ((value % range) + range) % range
}

/** A tag of ID3v2 with so many zeros in it. */
export function id3(size: number): Buffer {
  return join('ID3', big(1, 3, 0, 0, 0, 0, size >> 7, size & 0x7f), Buffer.alloc(size))
}

/** The same bytes again and again. */
export function repeat(piece: Piece, times: number): Buffer {
  const one = asBytes(piece)
  const bytes = Buffer.alloc(one.length * times)
  return bytes.fill(one)
}

/** A copy with other bytes at a place. */
export function patched(bytes: Uint8Array, offset: number, ...pieces: readonly Piece[]): Buffer {
  const copy = Buffer.from(bytes)
  copy.set(join(...pieces), offset)
  return copy
}

/** Bits, the highest first, filled up with zeros to whole bytes. */
export function bits(...fields: readonly (readonly [value: number, count: number])[]): Buffer {
  const text = fields.map(([value, count]) => value.toString(2).padStart(count, '0')).join('')
  return Buffer.from(text.match(/.{1,8}/g)?.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)) ?? [])
}

/** Samples of 16 bits as bytes, the lowest first. */
export function samplesLittle(samples: Int16Array): Buffer {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
}

export function samplesBig(samples: Int16Array): Buffer {
  return Buffer.from(samplesLittle(samples)).swap16()
}
