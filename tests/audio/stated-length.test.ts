import { describe, expect, test } from 'vitest'
import { probeAudio, statedLength } from '#audio/probing'
import { fixture, fixtureNames } from './fixtures.ts'
import { join } from './zoo/bytes.ts'
import {
  oggStream,
  opusHeaders,
  silentOpusPacket,
  silentOpusSamples,
  withChecksums,
} from './zoo/ogg-files.ts'
import { flacs, oggs } from './zoo/stream-animals.ts'

async function decodedSeconds(bytes: Uint8Array): Promise<number | null> {
  const probe = await probeAudio(bytes)
  return probe.ok ? probe.value.durationSeconds : null
}

function statedSeconds(bytes: Uint8Array): number | null {
  const stated = statedLength(bytes)
  return stated?.ok === true ? stated.value.durationSeconds : null
}

/** The last page of an Ogg file changed, and its checksum with it. */
function withLastPage(file: Uint8Array, change: (page: Buffer) => void): Uint8Array {
  const bytes = Buffer.from(file)
  change(bytes.subarray(bytes.lastIndexOf('OggS')))
  return new Uint8Array(withChecksums(bytes))
}

const countBy = (samples: number) => (page: Buffer) => {
  page.writeBigInt64LE(page.readBigInt64LE(6) + BigInt(samples), 6)
}

/** Ten packets of 120 ms, two in a page. */
function opus(fields: Partial<Parameters<typeof oggStream>[1]> = {}): Uint8Array {
  const pages = oggStream([...opusHeaders(), ...Array(10).fill(silentOpusPacket)], {
    packetSamples: silentOpusSamples,
    headers: 2,
    perPage: 2,
    ...fields,
  })
  return new Uint8Array(join(...pages))
}

describe('a length that is stated without decoding', () => {
  const stating = fixtureNames.filter((name) => /(?<!-cut)\.(flac|ogg|opus)$/.test(name))

  test.each(stating)('is that of %s as it is decoded', async (name) => {
    expect(statedSeconds(fixture(name))).toBe(await decodedSeconds(fixture(name)))
  })

  test('is known of FLAC and Ogg alone', () => {
    const others = fixtureNames.filter((name) => !stating.includes(name))
    expect(others.filter((name) => statedLength(fixture(name)) !== null)).toEqual([])
  })

  test('is never another than the decoded one, whatever the file of such a format', async () => {
    const sound = Int16Array.from({ length: 24_000 }, (_, index) => 9_000 * Math.sin(index / 20))
    const different: string[] = []
    for (const { name, isLong, make } of [...flacs(sound), ...oggs(sound, fixture('vorbis.ogg'))]) {
      if (isLong) continue
      const bytes = make()
      const stated = statedSeconds(bytes)
      if (stated === null) continue
      const decoded = await decodedSeconds(bytes)
      if (decoded !== null && stated !== decoded) different.push(name)
    }
    expect(different).toEqual([])
  })

  test.each([
    ['Vorbis', () => fixture('vorbis.ogg'), 100],
    ['Opus', opus, 3_000],
  ])('is shorter where the last page of %s says that its end is cut away', async (_, make, samples) => {
    const shorter = withLastPage(make(), countBy(-samples))
    expect(statedSeconds(shorter)).toBe(await decodedSeconds(shorter))
    expect(statedSeconds(shorter)).toBeLessThan(statedSeconds(make()) ?? 0)
  })

  test.each([
    ['two streams, one after the other', join(fixture('vorbis.ogg'), fixture('vorbis-44100-stereo.ogg'))],
    ['a part of another file', fixture('vorbis-cut.ogg')],
    ['no page that is marked as the end', withLastPage(fixture('vorbis.ogg'), (page) => page.fill(0, 5, 6))],
    ['fewer samples than its last page counts', withLastPage(fixture('vorbis.ogg'), countBy(300))],
    ['a beginning that was cut away', opus({ offset: 48_000 })],
    ['pages that count less than they hold', opus({ offset: -1_000 })],
    ['an end before its last page', opus({ lastBy: -3 * silentOpusSamples })],
  ])('is not known for an Ogg file with %s', (_, bytes) => {
    expect(statedLength(new Uint8Array(bytes))).toBeNull()
  })

  test('is refused for an Ogg file that breaks off', () => {
    expect(statedLength(opus().subarray(0, -1))).toMatchObject({ ok: false })
  })
})
