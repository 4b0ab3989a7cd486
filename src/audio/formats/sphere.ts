import { damaged, unreadable } from '../damage.ts'
import { textAt } from '../read-bytes.ts'
import type { AudioStructure } from '../structure.ts'
import { type PcmLayout, packetBytesOf, pcmStructure } from './riff/pcm-structure.ts'

/** `NIST_1A`, then the number of bytes of the header in seven characters. */
const prefixBytes = 16

/**
 * NIST SPHERE, as in TED-LIUM: an object header of text, then samples. Embedded compression (shorten) is not read.
 *
 * @see NIST Speech Header Resources (SPHERE) 2.6, doc/header.doc
 */
export function readSphere(bytes: Uint8Array): AudioStructure {
  const headerBytes = Number(textAt(bytes, 8, 7).trim())
  if (!(headerBytes > prefixBytes) || headerBytes > bytes.length) damaged('its header is incomplete')
  const fields = readFields(bytes.subarray(prefixBytes, headerBytes))
  const coding = fields.get('sample_coding') ?? 'pcm'
  const layout: PcmLayout = {
    ...encodingOf(coding, Number(fields.get('sample_n_bytes') ?? 2)),
    sampleRateHz: Number(fields.get('sample_rate')),
    channelCount: Number(fields.get('channel_count') ?? 1),
    isLittleEndian: fields.get('sample_byte_format') === '01',
    dataStart: headerBytes,
    dataBytes: bytes.length - headerBytes,
  }
  const frames = Number(fields.get('sample_count') ?? Number.NaN)
  const found = Math.floor(layout.dataBytes / packetBytesOf(layout))
  if (frames > found) damaged(`its header promises ${frames} samples, ${found} are there`)
  return pcmStructure(bytes, layout)
}

/** Lines such as `sample_rate -i 16000` and `sample_coding -s3 pcm`, until `end_head`. */
function readFields(header: Uint8Array): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of new TextDecoder('latin1').decode(header).split('\n')) {
    if (line.trim() === 'end_head') break
    const [, name, value] = /^(\S+) -(?:i|r|s\d+) (.*)$/.exec(line.trim()) ?? []
    if (name !== undefined && value !== undefined) fields.set(name, value.trim())
  }
  return fields
}

function encodingOf(coding: string, sampleBytes: number): Pick<PcmLayout, 'coding' | 'bits' | 'isFloat'> {
  if (coding === 'ulaw' || coding === 'mu-law') return { coding: 'ulaw', bits: 8, isFloat: false }
  if (coding === 'alaw') return { coding: 'alaw', bits: 8, isFloat: false }
  if (coding !== 'pcm') unreadable(`its sound has the coding ${coding}; convert it with sph2pipe`)
  return { coding: 'lpcm', bits: sampleBytes * 8, isFloat: false }
}
