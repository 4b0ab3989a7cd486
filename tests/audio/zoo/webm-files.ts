import { big, join, type Piece } from './bytes.ts'
import { opusHeaders } from './ogg-files.ts'

function element(id: string, ...content: readonly Piece[]): Buffer {
  const body = join(...content)
  return join(Buffer.from(id, 'hex'), big(4, 0x1000_0000 + body.length), body)
}

/** Blocks of one cluster each, of Opus without lacing, or with as many frames of one size as `laced` says. */
export function webm(
  packets: readonly Uint8Array[],
  { laced = 1, packetMs = 120 }: { readonly laced?: number; readonly packetMs?: number } = {},
): Buffer {
  const [head = Buffer.alloc(0)] = opusHeaders()
  const track = element(
    'ae',
    element('d7', big(1, 1)),
    element('83', big(1, 2)),
    element('86', 'A_OPUS'),
    element('63a2', head),
    element('e1', element('9f', big(1, 1))),
  )
  const clusters: Buffer[] = []
  for (let start = 0; start < packets.length; start += laced) {
    const frames = packets.slice(start, start + laced)
    const lacing = laced === 1 ? join(big(1, 0x80)) : join(big(1, 0x84, frames.length - 1))
    const block = element('a3', big(1, 0x81), big(2, 0), lacing, ...frames)
    clusters.push(element('1f43b675', element('e7', big(4, start * packetMs)), block))
  }
  return join(
    element('1a45dfa3', element('4282', 'webm')),
    element('18538067', element('1654ae6b', track), ...clusters),
  )
}
