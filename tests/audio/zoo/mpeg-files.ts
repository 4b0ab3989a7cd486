import { big, bits, join, repeat } from './bytes.ts'

/** A frame of MPEG 2.5, layer III, 8 kbit/s, 8 kHz, one channel, of silence: 72 ms in 72 bytes. */
export const silentMp3Frame: Buffer = join(
  bits([0x7ff, 11], [0, 2], [1, 2], [1, 1], [1, 4], [2, 2], [0, 1], [0, 1], [3, 2], [0, 6]),
  Buffer.alloc(68),
)

/** The same at 12 kHz, 48 ms in 48 bytes. */
export const otherMp3Frame: Buffer = join(
  bits([0x7ff, 11], [0, 2], [1, 2], [1, 1], [1, 4], [1, 2], [0, 1], [0, 1], [3, 2], [0, 6]),
  Buffer.alloc(44),
)

export function silentMp3(frameCount: number): Buffer {
  return repeat(silentMp3Frame, frameCount)
}

/** A first frame with a tag that says how many frames and bytes there are. */
export function xingFrame(frames: number, sizeBytes: number): Buffer {
  return join(silentMp3Frame.subarray(0, 13), 'Info', big(4, 3, frames, sizeBytes), Buffer.alloc(43))
}

/** An ADTS frame around an AAC frame: AAC-LC, 16 kHz, one channel. */
export function adtsFrame(frame: Uint8Array, sizeBytes: number = frame.length + 7): Buffer {
  return join(
    bits(
      [0xfff, 12],
      [0, 3],
      [1, 1],
      [1, 2],
      [8, 4],
      [0, 1],
      [1, 3],
      [0, 4],
      [sizeBytes, 13],
      [0x7ff, 11],
      [0, 2],
    ),
    frame,
  )
}
