/** Sizes in bytes (of text: characters, which are ASCII here), from the Limits section of the specification. */
export const limits = {
  /** 48 MiB: audio by path, as a multipart part, and as the decoded bytes of `audio_base64`. */
  audioBytes: 50_331_648,
  /** 50 MiB: a whole request body. 37.5 MiB of audio is its base64 equivalent. */
  requestBytes: 52_428_800,
  /** The body limit of older Windows builds, which have no audio limit. */
  legacyWindowsRequestBytes: 30_000_000,
  searchResults: { minimum: 1, maximum: 500, default: 50 },
  /** macOS: beyond these a bare 431, and the connection closes. */
  requestHead: { lineBytes: 8_192, totalBytes: 65_536 },
  /** macOS takes 16 bits; the others take 32. */
  sortOrder: { minimum: -32_768, maximum: 32_767 },
  sortOrderElsewhere: { minimum: -2_147_483_648, maximum: 2_147_483_647 },
  /** The longest text of a Mode's field, in UTF-16 code units; see `modeTextLimits` for the field of each. */
  modeText: { identifier: 1_000, instructions: 100_000, vocabularyWord: 100 },
  /** Words of a Mode's custom vocabulary. */
  vocabularyWords: 10_000,
} as const

/** Time-outs that the specification leaves open. */
export const timeouts = {
  /** The service gives up on a transcription after this long. */
  serviceSeconds: 600,
  /** A client waits this long, plus `clientPerAudioSecond` for every second of audio. */
  clientSeconds: 60,
  clientPerAudioSecond: 2,
} as const

/** The only version of the API there is. Another one is reported, recorded and tried. */
export const apiVersion = 1
