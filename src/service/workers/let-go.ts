/** Gives memory back now, and not when the collector comes by. The bytes are gone for everybody who has them. */
export function letGo({ buffer }: Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer>): void {
  buffer.transfer(0)
}
