import { spawn, spawnSync } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import { resample } from '#audio'
import { defineTransformation, onEachSound, type Transformation } from '../transformation.ts'
import { fromSigned16, toSigned16 } from './codec-frames.ts'

const parameters = z.strictObject({})

const telephoneHz = 8000
const program = 'sox'
const raw = ['-t', 'raw', '-r', String(telephoneHz), '-e', 'signed', '-b', '16', '-c', '1', '-']
const packed = ['-t', 'gsm', '-r', String(telephoneHz), '-c', '1', '-']

/** GSM 06.10 full rate at 8 kHz, with libgsm in the program SoX: no maintained library for Node has it. */
export const gsm: Transformation = defineTransformation({
  name: 'gsm',
  summary: 'mobile telephone: 8 kHz, GSM 06.10; needs the program sox; the files have 8 kHz',
  parameters,
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
    // Frames of 20 ms: the last one is filled up.
    return { samples: fromSigned16(whole.subarray(0, narrow.length)), sampleRateHz: telephoneHz }
  }),
})

/** Without dither, so that the same samples give the same bytes. */
async function through(input: Uint8Array, from: readonly string[], to: readonly string[]): Promise<Buffer> {
  const child = spawn(program, ['-D', ...from, ...to], { stdio: ['pipe', 'pipe', 'pipe'] })
  // What it did not read is explained by how it ended.
  child.stdin.on('error', () => undefined).end(input)
  const [output, complaint, code] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
  ])
  if (code === 0) return output
  throw new Error(`${program} ended with ${code}: ${complaint.toString().trim()}`)
}
