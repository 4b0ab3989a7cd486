import { createCipheriv, createHash } from 'node:crypto'

/** Bytes without a pattern, the same for the same seed, made as fast as they are written. */
export function noise(seed: string | number, sizeBytes: number): Buffer {
  const key = createHash('sha256').update(String(seed)).digest()
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(sizeBytes))
}
