/**
 * What a WAV file may hold besides what is read here, by the format tag in its header, for people.
 *
 * @see RFC 2361, and mmreg.h of the Windows SDK for what was registered after it
 */

/** Codecs that ffmpeg decodes: each with the tags by which it finds them in a WAV file. */
const convertible: readonly (readonly [name: string, ...tags: readonly number[]])[] = [
  ['WMA Voice', 0x0a],
  ['OKI ADPCM', 0x10, 0x17],
  ['G.726', 0x14, 0x40, 0x45, 0x64],
  ['Yamaha ADPCM', 0x20],
  ['TrueSpeech', 0x22, 0x1501],
  ['GSM 6.10', 0x31, 0x32, 0x1500],
  ['AMR', 0x38, 0x57],
  ['AMR-WB', 0x58],
  ['G.723.1', 0x42, 0x111, 0xa100],
  ['MPEG layer 2', 0x50],
  ['MP3', 0x55],
  ['Duck ADPCM', 0x61, 0x62],
  ['IMA ADPCM of Voxware', 0x69],
  ['MetaSound', 0x75],
  ['G.729', 0x83, 0x729a],
  ['AAC', 0xff, 0x1600, 0x1602, 0x4143, 0x706d, 0xa106],
  ['SIPR', 0x130],
  ['ACELP.KELVIN', 0x135],
  ['WMA 1', 0x160],
  ['WMA 2', 0x161],
  ['WMA Pro', 0x162],
  ['WMA Lossless', 0x163],
  ['XMA', 0x165, 0x166],
  ['Creative ADPCM', 0x200],
  ['ATRAC3', 0x270],
  ['MSN Siren', 0x28e],
  ['G.722', 0x28f],
  ['Intel Music Coder', 0x401],
  ['Indeo Audio', 0x402],
  ['On2 AVC', 0x500, 0x501],
  ['AC-3', 0x2000],
  ['DTS', 0x2001],
  ['Vorbis', 0x566f],
  ['mu-law', 0x6c75],
  ['Speex', 0xa109],
  ['FLAC', 0xf1ac],
]

/** Codecs, or tags of those above, that only the program knows that wrote them. */
const unknownToOthers: readonly (readonly [name: string, ...tags: readonly number[]])[] = [
  ['DIGISTD ADPCM', 0x15],
  ['DIGIFIX ADPCM', 0x16],
  ['Dolby AC-2', 0x30],
  ['Antex ADPCM', 0x33],
  ['Roland RDAC', 0x39],
  ['Rockwell ADPCM', 0x3b],
  ['Rockwell DigiTalk', 0x3c],
  ['G.723', 0x59, 0x93, 0x123],
  ['Voxware', 0x70, 0x71, 0x72, 0x73, 0x74, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x7b, 0x81, 0x181c],
  ['G.726', 0x85, 0x140, 0x4243, 0xa105, 0xa107],
  ['GSM 6.10', 0x86, 0xa1, 0x155, 0x1000, 0xa10d],
  ['G.721', 0x8b, 0xa11a],
  ['G.729', 0x8c, 0x133, 0x134, 0xa103, 0xa114],
  ['AC-3', 0x92, 0x241],
  ['ZyXEL ADPCM', 0x97],
  ['Philips LPC', 0x98],
  ['G.723.1', 0xa3],
  ['AAC', 0xb0, 0x180, 0x1601, 0x1608, 0x1609, 0x160a, 0x160b],
  ['HE-AAC', 0x1610],
  ['Rhetorex ADPCM', 0x100],
  ['Siren', 0x112, 0xa115],
  ['Philips CELP', 0x120],
  ['Sanyo ADPCM', 0x125],
  ['ACELP', 0x131, 0x132],
  ['AMR', 0x136, 0x4201, 0x7361, 0x7a21, 0x7a22],
  ['AMR-WB', 0x7362, 0xa104, 0xa111],
  ['Dictaphone CELP', 0x141, 0x142],
  ['PureVoice', 0x150, 0x151],
  ['ATRAC3', 0x272],
  ['Norcom ADPCM', 0x285],
  ['Olivetti ADPCM', 0x1001],
  ['Lernout & Hauspie', 0x1100, 0x1101, 0x1102, 0x1103, 0x1104],
  ['Vorbis', 0x564c, 0x674f, 0x6750, 0x6751, 0x676f, 0x6770, 0x6771],
  ['WavPack', 0x5756],
  ['ALAC', 0x6c61],
  ['Opus', 0x704f],
  ['G.722', 0x65, 0xa112],
  ['G.728', 0xa113],
  ['iLBC', 0xa116],
  ['NICE ADPCM', 0xa118, 0xa119],
]

export interface ForeignCodec {
  /** The usual name; a tag that is not registered is a number. */
  readonly name: string
  /** Whether ffmpeg finds it by its tag. One that has no name may be newer than this table. */
  readonly isConvertible: boolean
}

export function foreignWavCodec(tag: number): ForeignCodec {
  const nameIn = (codecs: typeof convertible): string | null =>
    codecs.find(([, ...tags]) => tags.includes(tag))?.[0] ?? null
  const name = nameIn(convertible)
  if (name !== null) return { name, isConvertible: true }
  const unknown = nameIn(unknownToOthers)
  return { name: unknown ?? `unknown (0x${tag.toString(16)})`, isConvertible: unknown === null }
}

/** Every tag that has a name here. */
export const foreignWavTags: readonly number[] = [...convertible, ...unknownToOthers].flatMap(
  ([, ...tags]) => tags,
)
