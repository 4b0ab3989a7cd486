import { damaged, unreadable } from '../damage.ts'
import { viewOf } from '../read-bytes.ts'
import type { AudioStructure } from '../structure.ts'
import { type PcmLayout, packetBytesOf, pcmStructure } from './riff/pcm-structure.ts'

/** Encodings by their number. */
const encodings: Readonly<Record<number, Pick<PcmLayout, 'coding' | 'bits' | 'isFloat'>>> = {
  1: { coding: 'ulaw', bits: 8, isFloat: false },
  2: { coding: 'lpcm', bits: 8, isFloat: false },
  3: { coding: 'lpcm', bits: 16, isFloat: false },
  4: { coding: 'lpcm', bits: 24, isFloat: false },
  5: { coding: 'lpcm', bits: 32, isFloat: false },
  6: { coding: 'lpcm', bits: 32, isFloat: true },
  7: { coding: 'lpcm', bits: 64, isFloat: true },
  27: { coding: 'alaw', bits: 8, isFloat: false },
}

/** What a writer that cannot seek back leaves as the length. */
const unknownSize = 0xffff_ffff

/** @see https://pubs.opengroup.org/external/auformat.html */
export function readAu(bytes: Uint8Array): AudioStructure {
  if (bytes.length < 24) damaged('its header is incomplete')
  const view = viewOf(bytes)
  const dataStart = view.getUint32(4)
  const declaredBytes = view.getUint32(8)
  const number = view.getUint32(12)
  const encoding = encodings[number]
  if (encoding === undefined) unreadable(`its sound has the encoding ${number}`)
  if (dataStart < 24 || dataStart > bytes.length) damaged(`its sound begins at byte ${dataStart}`)
  const layout = {
    ...encoding,
    sampleRateHz: view.getUint32(16),
    channelCount: view.getUint32(20),
    isLittleEndian: false,
    dataStart,
    dataBytes: bytes.length - dataStart,
  }
  if (declaredBytes !== unknownSize && Math.abs(declaredBytes - layout.dataBytes) >= packetBytesOf(layout)) {
    damaged(`its header promises ${declaredBytes} bytes of samples, ${layout.dataBytes} are there`)
  }
  return pcmStructure(bytes, layout)
}
