/** Bytes that come bit by bit and end up in one piece of memory, without being copied where their number was known. */
export interface ByteStore {
  readonly sizeBytes: number
  /** Room for so many more; to be filled, and counted with `advance`. */
  reserve(sizeBytes: number): Buffer
  advance(sizeBytes: number): void
  append(bytes: Uint8Array): void
  /** Everything so far. The memory is the caller's from now on. */
  take(): Uint8Array<ArrayBuffer>
}

/** @param expectedBytes as many as are expected to come; memory is used only as they do */
export function createByteStore(expectedBytes: number): ByteStore {
  let memory = new Uint8Array(Math.max(expectedBytes, 1_024))
  let sizeBytes = 0

  function reserve(moreBytes: number): Buffer {
    if (sizeBytes + moreBytes > memory.length) {
      const larger = new Uint8Array(Math.max(memory.length * 2, sizeBytes + moreBytes))
      larger.set(memory.subarray(0, sizeBytes))
      memory = larger
    }
    return Buffer.from(memory.buffer, sizeBytes, moreBytes)
  }

  return {
    get sizeBytes() {
      return sizeBytes
    },
    reserve,
    advance(moreBytes) {
      sizeBytes += moreBytes
    },
    append(bytes) {
      reserve(bytes.length).set(bytes)
      sizeBytes += bytes.length
    },
    take() {
      const bytes = memory.subarray(0, sizeBytes)
      memory = new Uint8Array(0)
      sizeBytes = 0
      return bytes
    },
  }
}
