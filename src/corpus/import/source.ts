import type { Problem } from '#prelude'
import type { TimedText } from '#scoring/shapes'
import type { CaptionRule } from '#transcripts/formats'

/** A stretch of a recording with what is said in it. */
export interface SourceSegment {
  /** Null where the source names only the recording: the number of the segment is added to the recording's id. */
  readonly id: string | null
  /** File and line, where segments of a recording have lines of their own. Default: that of the recording. */
  readonly where?: string
  readonly text: string
  /** The text holds choices as NIST writes them. Default: false. */
  readonly hasChoices?: boolean
  readonly startSeconds: number
  /** Null: to the end of the recording. */
  readonly endSeconds: number | null
  readonly speaker: string | null
  readonly language: string | null
  readonly tags: readonly string[]
  /** The text is that of an engine: it is scored once a person has reviewed it. Default: false. */
  readonly isDraft?: boolean
  /** When its words are spoken, from the beginning of the recording. Default: not known. */
  readonly times?: readonly TimedText[]
  /** Where recording and text come from, in words, where that is more than the source of the import says. */
  readonly source?: string
}

/** One audio file or embedded recording of a source. Its audio is read when it is imported. */
export interface SourceRecording {
  readonly id: string
  /** File, or file and line, as problems with the audio name it. */
  readonly where: string
  /** From 0. Default: null, the mean of all channels. */
  readonly channel?: number | null
  /**
   * `given`, the default: the segments are cut exactly at their times. `silences`: the times are those of subtitles, and each edge in
   * sound is moved to the nearest silence.
   */
  readonly cutAt?: 'given' | 'silences'
  /** In the order of the source. */
  readonly segments: readonly SourceSegment[]
  /** @returns all bytes of the audio file; rejects with a file system error */
  read(): Promise<Uint8Array>
}

/** What a part of a source holds, with everything that is wrong with its texts and tables. */
export interface OpenPart {
  readonly recordings: readonly SourceRecording[]
  readonly problems: readonly Problem[]
  /** Removes what was fetched for it; called when all of it is imported. */
  discard(): Promise<void>
}

/** What a part needs to be fetched. */
export interface PartContext {
  /** Folder for what is fetched; a later call finds it again. */
  readonly workFolder: string
  /** The import ends before the end of the source, so that perhaps not all of a part is needed. */
  readonly isPartial: boolean
  readonly signal?: AbortSignal | undefined
  onDownload(name: string, receivedBytes: number, totalBytes: number | null): void
}

/** A part of a source that is fetched in one go: a shard, an archive, or a folder on disk. */
interface SourcePart {
  /** Unique in the source, and the same in each import of it. */
  readonly key: string
  open(context: PartContext): Promise<OpenPart>
}

/** Where utterances are imported from. */
export interface ImportSource {
  /** For a person, and for the record of the import. */
  readonly title: string
  /** The folder's name where the user names none. */
  readonly name: string
  /** SPDX identifier, or the name of other terms; null where the source does not say. */
  readonly licence: string | null
  /** BCP 47 tag of what names no language, where the user names none either: most data sets of this form have it. */
  readonly usualLanguage?: string
  /** Its texts are those of an engine. Default: false. */
  readonly isOfDrafts?: boolean
  /** What is fetched for all of it, without audio that rows name; left out where it lies on this machine. */
  readonly fetchedBytes?: number
  readonly parts: readonly SourcePart[]
}

/** What a user asks of a source. */
export interface SourceOptions {
  /** The split, subset or subfolder. */
  readonly split: string | null
  /** Absolute path that audio files may lie below, in addition to the folder of the source. */
  readonly audioRoot: string | null
  /** The columns of a table, where they are not called as usual. Default: the usual names. */
  readonly audioColumn?: string | undefined
  readonly textColumn?: string | undefined
  /** Whether the pipes of a `wav.scp` run, if all their programs are known ones. Default: false. */
  readonly allowsCommands?: boolean
  /** Whether the user has accepted the terms of the data set. */
  readonly acceptsLicence: boolean
  /** What becomes of captions that roll up; they are a problem by default. */
  readonly captions?: CaptionRule | undefined
  /** Hears what was done with a text that a user has to know. */
  readonly onNote?: (note: string) => void
}

/** A part that lies on disk already. */
export function openedPart(recordings: readonly SourceRecording[], problems: readonly Problem[]): OpenPart {
  return { recordings, problems, discard: async () => undefined }
}

/** A segment that is a whole recording, where nothing else is said of its times. */
export function makeSegment(segment: Pick<SourceSegment, 'text'> & Partial<SourceSegment>): SourceSegment {
  return { id: null, startSeconds: 0, endSeconds: null, speaker: null, language: null, tags: [], ...segment }
}
