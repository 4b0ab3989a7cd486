import { spawn, spawnSync } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import { resample } from '#audio/resampling'
import { decodeSound } from '#audio/sound-stream'
import { defineTransformation, onEachSound, type Transformation } from './transformation.ts'

const codecHz = 48_000
/** Samples in a frame of 20 ms, the common length. */
const frameLength = codecHz / 50
/** Look-ahead of libopus at 48 kHz in its speech mode, in samples. @see RFC 7845, 4.2, pre-skip */
const delay = 312

/** Encodes and decodes with libopus in its speech mode. */
export const opus: Transformation = defineTransformation({
  name: 'opus',
  summary: 'encode and decode as Opus, in its mode for speech',
  parameters: z.strictObject({
    'opus-bitrate': z.coerce.number().int().min(6).max(128).default(16).describe('kbit/s, mono'),
  }),
  ladders: [{ parameter: 'opus-bitrate', unit: 'kbit/s', harder: 'lower' }],
  apply: onEachSound(async ({ samples, sampleRateHz }, chosen) => {
    const wide = toSigned16(await resample({ samples, sampleRateHz }, codecHz))
    // Codecs are loaded on use, because this module is loaded by every command that reads corpora.
    const { default: OpusScript } = await import('opusscript')
    const codec = new OpusScript(codecHz, 1, OpusScript.Application.VOIP)
    try {
      codec.setBitrate(chosen['opus-bitrate'] * 1000)
      const decoded = codecFrames(wide, { frameLength, delay }, (frame) =>
        codec.decode(codec.encode(frame, frameLength)),
      )
      const back = await resample({ samples: decoded, sampleRateHz: codecHz }, sampleRateHz)
      return { samples: back.subarray(0, samples.length), sampleRateHz }
    } finally {
      codec.delete()
    }
  }),
})

const bitrates = [32, 40, 48, 64, 80, 96, 112, 128] as const
/** The lowest sample rate of MPEG-1, which supports all these bitrates. */
const mp3Hz = 32_000
/** LAME adds 576 samples at the start, and decoders 529. @see LAME technical FAQ, "Why is a decoded MP3 longer" */
const mp3Delay = 576 + 529

/** Encodes with LAME and decodes; the padding that both add is removed. */
export const mp3: Transformation = defineTransformation({
  name: 'mp3',
  summary: 'encode and decode as MP3',
  parameters: z.strictObject({
    'mp3-bitrate': z.coerce
      .number()
      .refine((rate): rate is (typeof bitrates)[number] => bitrates.some((each) => each === rate), {
        message: `has to be one of ${bitrates.join(', ')}`,
      })
      .default(32)
      .describe(`kbit/s, mono: ${bitrates.join(', ')}`),
  }),
  ladders: [{ parameter: 'mp3-bitrate', unit: 'kbit/s', harder: 'lower' }],
  apply: onEachSound(async ({ samples, sampleRateHz }, chosen) => {
    const wide = await resample({ samples, sampleRateHz }, mp3Hz)
    const decoded = await decodeSound(await encode(wide, chosen['mp3-bitrate']))
    if (!decoded.ok) {
      throw new Error(`an MP3 file that was just encoded cannot be decoded: ${decoded.failure.reason}`)
    }
    // At its lowest bitrates LAME reduces the sample rate, and the delay counts samples of that rate.
    const { samples: late, sampleRateHz: ownHz } = decoded.value
    const back = await resample({ samples: late.subarray(mp3Delay), sampleRateHz: ownHz }, sampleRateHz)
    if (back.length < samples.length) throw new Error('an MP3 file that was just encoded lost its end')
    return { samples: back.subarray(0, samples.length), sampleRateHz }
  }),
})

async function encode(samples: Float32Array, bitrate: (typeof bitrates)[number]): Promise<Uint8Array> {
  const { createMp3Encoder } = await import('wasm-media-encoders')
  const encoder = await createMp3Encoder()
  encoder.configure({ sampleRate: mp3Hz, channels: 1, bitrate })
  const parts: Uint8Array[] = []
  for (let from = 0; from < samples.length; from += mp3Hz) {
    // The encoder returns its own memory, which the next call overwrites, so it is copied.
    parts.push(encoder.encode([samples.subarray(from, from + mp3Hz)]).slice())
  }
  parts.push(encoder.finalize().slice())
  return Buffer.concat(parts)
}

const telephoneHz = 8000

/** ITU-T G.711 at 8 kHz. The file keeps 8 kHz, like a recording of a call. */
export const mulaw: Transformation = defineTransformation({
  name: 'mulaw',
  summary: 'telephone: 8 kHz, mu-law (G.711); the files have 8 kHz',
  parameters: z.strictObject({}),
  apply: onEachSound(async ({ samples, sampleRateHz }) => {
    const narrow = toSigned16(await resample({ samples, sampleRateHz }, telephoneHz))
    const { mulaw: codec } = (await import('alawmulaw/dist/alawmulaw.js')).default
    return { samples: fromSigned16(codec.decode(codec.encode(narrow))), sampleRateHz: telephoneHz }
  }),
})

const program = 'sox'
const raw = ['-t', 'raw', '-r', String(telephoneHz), '-e', 'signed', '-b', '16', '-c', '1', '-']
const packed = ['-t', 'gsm', '-r', String(telephoneHz), '-c', '1', '-']

/** GSM 06.10 full rate at 8 kHz, with libgsm in the program SoX, because no maintained library for Node supports it. */
export const gsm: Transformation = defineTransformation({
  name: 'gsm',
  summary: 'mobile telephone: 8 kHz, GSM 06.10; needs the program sox; the files have 8 kHz',
  parameters: z.strictObject({}),
  problems: () => {
    const { stdout } = spawnSync(program, ['--help'], { encoding: 'utf8' })
    const isThere = /^AUDIO FILE FORMATS:.*\bgsm\b/m.test(stdout ?? '')
    return isThere
      ? []
      : [
          `the program ${program} is not here, or has no GSM: apt install sox libsox-fmt-base, or brew install sox`,
        ]
  },
  apply: onEachSound(async ({ samples, sampleRateHz }) => {
    const narrow = toSigned16(await resample({ samples, sampleRateHz }, telephoneHz))
    const coded = await through(Buffer.from(narrow.buffer, narrow.byteOffset, narrow.byteLength), raw, packed)
    const decoded = await through(coded, packed, raw)
    const whole = new Int16Array(
      decoded.buffer.slice(decoded.byteOffset, decoded.byteOffset + decoded.length),
    )
    // The last frame of 20 ms is padded, so the excess is removed.
    return { samples: fromSigned16(whole.subarray(0, narrow.length)), sampleRateHz: telephoneHz }
  }),
})

/** Converts without dither (-D), so that the same samples give the same bytes. */
async function through(input: Uint8Array, from: readonly string[], to: readonly string[]): Promise<Buffer> {
  const child = spawn(program, ['-D', ...from, ...to], { stdio: ['pipe', 'pipe', 'pipe'] })
  // A write error is ignored, because the exit code explains it.
  child.stdin.on('error', () => undefined).end(input)
  const [output, complaint, code] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
  ])
  if (code === 0) return output
  throw new Error(`${program} ended with ${code}: ${complaint.toString().trim()}`)
}

/** Converts samples to 16-bit integers, and clips at full scale. */
function toSigned16(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767))
}

function fromSigned16(samples: Int16Array): Float32Array {
  return Float32Array.from(samples, (sample) => sample / 32_768)
}

/**
 * Passes samples through a codec frame by frame, and removes its delay.
 *
 * @param code encodes and decodes one frame of 16-bit samples
 * @returns as many samples as given
 */
function codecFrames(
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
