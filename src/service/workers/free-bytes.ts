/** Frees memory now instead of at the next garbage collection. Every reference to the bytes becomes empty. */
export function freeBytes({ buffer }: Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer>): void {
  buffer.transfer(0)
}
