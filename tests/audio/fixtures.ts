import { readdirSync, readFileSync } from 'node:fs'
import { type DecodedAudio, decodeParts } from '#audio/sound-stream'
import type { AudioFailure } from '#audio/structure'
import { type Outcome, succeeded } from '#prelude'

const folder = new URL('./fixtures/', import.meta.url)

export const fixtureNames: readonly string[] = readdirSync(folder).filter((name) => !/\.(md|sh)$/.test(name))

export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, folder)))
}

/** All channels in one piece. Parts differ in width where a decoder detects mono by the samples. */
export async function decodeAudio(file: Uint8Array): Promise<Outcome<DecodedAudio, AudioFailure>> {
  const parts: DecodedAudio[] = []
  for await (const part of decodeParts(file)) {
    if (!part.ok) return part
    parts.push(part.value)
  }
  const width = Math.max(...parts.map(({ channels }) => channels.length))
  return succeeded({
    sampleRateHz: parts[0]?.sampleRateHz ?? 0,
    channels: Array.from({ length: width }, (_, index) =>
      Float32Array.from(parts.flatMap(({ channels }) => [...(channels[index % channels.length] ?? [])])),
    ),
  })
}
