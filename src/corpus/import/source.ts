import type { ChannelChoice } from '#audio/sound-stream'
import type { Problem } from '#prelude'
import type { TimedText } from '#scoring/shapes'
import type { CaptionRule } from '#transcripts/formats'

/** A segment of a recording with its text. */
export interface SourceSegment {
  /** Null where the source has no id; then the number of the segment is appended to the recording's id. */
  readonly id: string | null
  /** File and line, if the segment has its own line. Default: those of the recording. */
  readonly where?: string
  readonly text: string
  /** Whether the text contains alternatives in NIST notation. Default: false. */
  readonly hasChoices?: boolean
  readonly startSeconds: number
  /** Null means the end of the recording. */
  readonly endSeconds: number | null
  readonly speaker: string | null
  readonly language: string | null
  readonly tags: readonly string[]
  /** Whether the text is an engine's, and has to be reviewed before it is used. Default: false. */
  readonly isDraft?: boolean
  /** Times of its words from the beginning of the recording. Default: unknown. */
  readonly times?: readonly TimedText[]
  /** Source of recording and text in words, if it is more specific than that of the import. */
  readonly source?: string
}

/** One audio file, or embedded recording, of a source. Its audio is read during the import. */
export interface SourceRecording {
  readonly id: string
  /** File, or file and line, for problems with the audio. */
  readonly where: string
  /** Default: null, the mean of all channels. */
  readonly channel?: ChannelChoice
  /**
   * `given`, the default, cuts exactly at the segments' times. `silences` is for subtitles, and moves each
   * edge within sound to the nearest silence.
   */
  readonly cutAt?: 'given' | 'silences'
  /** Segments in the order of the source. */
  readonly segments: readonly SourceSegment[]
  /** @returns all bytes of the audio file; rejects with a file system error */
  read(): Promise<Uint8Array>
}

/** The content of a part, with all problems of its texts and tables. */
export interface OpenPart {
  readonly recordings: readonly SourceRecording[]
  readonly problems: readonly Problem[]
  /** Removes fetched files; called when the whole part is imported. */
  discard(): Promise<void>
}

/** What a part needs to fetch its files. */
export interface PartContext {
  /** Folder of fetched files, which later calls reuse. */
  readonly workFolder: string
  /** Whether the import may end before the end of the source, so that a part may not be needed as a whole. */
  readonly isPartial: boolean
  readonly signal?: AbortSignal | undefined
  onDownload(name: string, receivedBytes: number, totalBytes: number | null): void
}

/** A part of a source that is fetched as a unit: a shard, an archive, or a folder on disk. */
interface SourcePart {
  /** Unique key in the source, the same for each import. */
  readonly key: string
  open(context: PartContext): Promise<OpenPart>
}

/** A source of utterances. */
export interface ImportSource {
  /** Title for the user, and for the record of the import. */
  readonly title: string
  /** Default name of the corpus folder. */
  readonly name: string
  /** SPDX identifier, or the name of other terms; null where the source does not say. */
  readonly licence: string | null
  /** BCP 47 tag for utterances where neither source nor user names a language; typical of this layout. */
  readonly usualLanguage?: string
  /** Whether its texts are an engine's. Default: false. */
  readonly isOfDrafts?: boolean
  /** Size of the download without audio that rows refer to; absent for sources on this machine. */
  readonly fetchedBytes?: number
  readonly parts: readonly SourcePart[]
}

/** The user's options for a source. */
export interface SourceOptions {
  /** Name of the split, subset or subfolder. */
  readonly split: string | null
  /** Absolute path of another folder that may contain the audio files. */
  readonly audioRoot: string | null
  /** Columns of a table. Default: the usual names. */
  readonly audioColumn?: string | undefined
  readonly textColumn?: string | undefined
  /** Whether to run the pipes of a `wav.scp`, if all their programs are known. Default: false. */
  readonly allowsCommands?: boolean
  /** Whether the user has accepted the terms of the data set. */
  readonly acceptsLicence: boolean
  /** What to do with roll-up captions, which are a problem by default. */
  readonly captions?: CaptionRule | undefined
  /** Called with notes to the user on how a text was changed. */
  readonly onNote?: (note: string) => void
}

/** A part that is on disk already. */
export function openedPart(recordings: readonly SourceRecording[], problems: readonly Problem[]): OpenPart {
  return { recordings, problems, discard: async () => undefined }
}

/** A segment; by default it spans the whole recording. */
export function makeSegment(segment: Pick<SourceSegment, 'text'> & Partial<SourceSegment>): SourceSegment {
  return { id: null, startSeconds: 0, endSeconds: null, speaker: null, language: null, tags: [], ...segment }
}
