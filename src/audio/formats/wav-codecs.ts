import data from './wav-codecs.json' with { type: 'json' }

/**
 * What a WAV file may hold besides what is read here, by the format tag in its header, for people: codecs that ffmpeg decodes,
 * each with the tags by which it finds them in a WAV file.
 *
 * @see RFC 2361, and mmreg.h of the Windows SDK for what was registered after it
 */
const convertible = namesByTag(data.convertible)

/** Codecs, or tags of those above, that only the program knows that wrote them. */
const unknownToOthers = namesByTag(data.unknownToOthers)

function namesByTag(codecs: Readonly<Record<string, readonly string[]>>): ReadonlyMap<number, string> {
  return new Map(
    Object.entries(codecs).flatMap(([name, tags]) => tags.map((tag) => [Number(tag), name] as const)),
  )
}

/** @returns the usual name, a number where it is not registered; and whether ffmpeg finds it by its tag: one that has no name may be newer than this table */
export function foreignWavCodec(tag: number) {
  const name = convertible.get(tag)
  if (name !== undefined) return { name, isConvertible: true }
  const unknown = unknownToOthers.get(tag)
  return { name: unknown ?? `unknown (0x${tag.toString(16)})`, isConvertible: unknown === undefined }
}

/** Every tag that has a name here. */
export const foreignWavTags: readonly number[] = [...convertible.keys(), ...unknownToOthers.keys()]
