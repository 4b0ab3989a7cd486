/** Samples as 16-bit integers; what exceeds full scale is clipped. */
export function toSigned16(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767))
}

export function fromSigned16(samples: Int16Array): Float32Array {
  return Float32Array.from(samples, (sample) => sample / 32_768)
}

/**
 * Passes samples through a codec frame by frame, and takes its delay off the beginning.
 *
 * @param code encodes and decodes one frame of 16-bit samples
 * @returns as many samples as went in
 */
export function codecFrames(
  samples: Int16Array,
  { frameLength, delay }: { readonly frameLength: number; readonly delay: number },
  code: (frame: Buffer) => Buffer,
): Float32Array {
  const frameCount = Math.ceil((samples.length + delay) / frameLength)
  const padded = new Int16Array(frameCount * frameLength)
  padded.set(samples)
  const decoded = new Int16Array(padded.length)
  for (let index = 0; index < frameCount; index += 1) {
    const frame = padded.slice(index * frameLength, (index + 1) * frameLength)
    const bytes = code(Buffer.from(frame.buffer))
    decoded.set(
      new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + frameLength * 2)),
      index * frameLength,
    )
  }
  return fromSigned16(decoded.subarray(delay, delay + samples.length))
}
