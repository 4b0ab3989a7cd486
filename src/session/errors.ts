import { basename, dirname, resolve } from 'node:path'
import type { BenchConfig } from '#config/bench-config'
import type { RunRecord } from '#journal/run-record'
import { defineErrors, type ErrorTable, shellWord } from '#prelude'

export type SessionErrorCode =
  | 'EMBEDDED_SERVICE_FAILED'
  | 'NOTHING_TO_MEASURE'
  | 'PRICES_UNREADABLE'
  | 'REFERENCE_WITHOUT_WORDS'
  | 'SCORE_NOT_FOUND'
  | 'CAPACITY_CUT_SHORT'
  | 'CAPACITY_NOT_MEASURED'
  | 'STOPPED_EARLY'
  | 'CONFORMANCE_RULE_UNKNOWN'
  | 'STAGING_FOLDER_UNKNOWN'
  | 'STAGING_FAILED'
  | 'WORKLOAD_UNFIT'
  | 'PAGE_TOO_LARGE'
  | 'CORPUS_GONE'
  | 'TRACE_UNREADABLE'
  | 'RUN_COMPLETE'
  | 'RUN_ALIVE'
  | 'RUN_DIFFERS'
  | 'BASELINE_NAME'
  | 'BASELINES_UNREADABLE'
  | 'CALIBRATIONS_UNREADABLE'
  | 'DOCUMENT_UNREADABLE'
  | 'RUN_NOT_LISTED'
  | 'EXPORT_AMBIGUOUS'
  | 'EXPORT_UNWRITABLE'
  | 'RUN_NOT_TRACKED'
  | 'MERGE_MISMATCH'
  | 'DUCKDB_MISSING'
  | 'FLEET_UNFIT'
  | 'NOTHING_TO_QUERY'
  | 'OBJECT_STORAGE_UNREADABLE'
  | 'QUERY_FAILED'

/** What can go wrong before a run has begun. */
export const sessionErrors: ErrorTable<SessionErrorCode> = defineErrors({
  PRICES_UNREADABLE: {
    exit: 'badInput',
    meaning:
      'The price list that --prices names cannot be read. configs/prices.yaml is one, and explains every key.',
  },
  RUN_COMPLETE: {
    exit: 'badInput',
    meaning:
      'The run completed its plan: there is nothing to resume. transcribench replay sends its plan again.',
  },
  RUN_ALIVE: {
    exit: 'badInput',
    meaning: 'The process that writes the run is still running. Two processes would send everything twice.',
  },
  RUN_DIFFERS: {
    exit: 'badInput',
    meaning:
      'A run is resumed, and its plan replayed, only where the rest would be measured as the first part was: the same ' +
      'corpus, the same models, the same settings and the same arrivals, and to be resumed on the same machine and the ' +
      'same version of the server, which may be at another address of the same machine: --target. All differences are listed ' +
      'at once; nothing was sent and nothing was written.',
  },
  BASELINE_NAME: {
    exit: 'badInput',
    meaning:
      'A baseline is a name for one or more runs of a results folder, kept in its baselines.json. Any name will do, such ' +
      'as the name of a branch, as long as it holds no comma, which separates runs.',
  },
  BASELINES_UNREADABLE: {
    exit: 'badInput',
    meaning:
      'The file baselines.json of a results folder keeps names for runs. It was edited, or written by a newer version.',
  },
  CALIBRATIONS_UNREADABLE: {
    exit: 'badInput',
    meaning:
      'The file calibrations.json of a results folder keeps what equal runs differ by. It was edited, or written by a newer ' +
      'version. Without it single runs would be compared without intervals, and a new calibration would replace all others.',
  },
  RUN_NOT_LISTED: {
    exit: 'badInput',
    meaning:
      'The page of `transcribench view` asks for runs of its results folder only, and that one is not among them.',
  },
  DOCUMENT_UNREADABLE: {
    exit: 'badInput',
    meaning:
      '`transcribench report` takes a run, or a file that compare, experiment or history printed with --json. The file is ' +
      'none of these, was edited, or was written by another version.',
  },
  EMBEDDED_SERVICE_FAILED: {
    exit: 'targetNotReady',
    meaning: 'The built-in service, which a run starts when no other target is named, did not start.',
  },
  REFERENCE_WITHOUT_WORDS: {
    exit: 'badInput',
    meaning:
      'A reference holds text, such as "[laughter]", of which the scoring profile leaves no word. Every word of an ' +
      'answer would then count as inserted. Recordings without speech have an empty reference and the tag `silence`.',
  },
  CONFORMANCE_RULE_UNKNOWN: {
    exit: 'badInput',
    meaning:
      '`transcribench conformance --select` takes the id of a rule such as guard.host, of one of its cases such as ' +
      'modes.name-unique/patch, or a subject such as modes, which is all rules whose ids begin so.',
  },
  STAGING_FOLDER_UNKNOWN: {
    exit: 'badInput',
    meaning:
      'With --stage, recordings that cannot travel in a request are copied to a folder that the target may read: its ' +
      'recordings folder. It is found next to the discovery file of a service on this machine, or where its past ' +
      'recordings are; elsewhere it has to be named.',
  },
  STAGING_FAILED: {
    exit: 'badInput',
    meaning:
      'A recording could not be copied to the folder that --stage names or found. Copies that had been made were ' +
      'removed again, and nothing was sent.',
  },
  CORPUS_GONE: {
    exit: 'badInput',
    meaning:
      'Corrections are stored next to the manifest of a corpus, and the run does not say which corpus that is.',
  },
  PAGE_TOO_LARGE: {
    exit: 'badInput',
    meaning:
      'With --embed-audio a page carries its recordings, a third larger than they are. Pages of hundreds of megabytes ' +
      'open slowly or not at all, so there is a limit, which is raised by naming another.',
  },
  TRACE_UNREADABLE: {
    exit: 'badInput',
    meaning:
      'The input of a trace is not available: the file does not exist, or the target has no recordings, or does not ' +
      'give them. `--trace recordings` replays the newest 500 entries of its history, times and lengths only.',
  },
  SCORE_NOT_FOUND: {
    exit: 'badInput',
    meaning:
      'A run can have several scores next to its journal: its own, evaluation.json, and one for each profile, file of rules, ' +
      'vocabulary and file of corrections that it was scored again with. A score is named by its file, by its profile where ' +
      'only one has it, or by the beginning of its fingerprint.',
  },
  WORKLOAD_UNFIT: {
    exit: 'badInput',
    meaning:
      'The workload "post-process" sends texts to POST /post-process. It needs a service of the Local Transcription API, ' +
      'and contenders that ask by the name of a Mode, or by a preset or a prompt (settings.preset, ' +
      'settings.userSystemPrompt) with the provider as engine and its language model as model. Texts have no length in ' +
      'seconds: users, a trace, and rates in seconds of speech are no load of them.',
  },
  CAPACITY_CUT_SHORT: {
    exit: 'runNotValid',
    meaning:
      'The target was lost in the middle of a capacity measurement: a request could not reach it and it did not answer ' +
      'otherwise either, or request after request ran into its time-out. The measurements are in the journal; no ' +
      'capacity is derived from those of this contender. Contenders that were measured before it keep theirs. A load that ' +
      'crashes the server is beyond its capacity.',
  },
  STOPPED_EARLY: {
    exit: 'interrupted',
    meaning:
      'Ctrl-C came before anything was measured: while the corpus was verified or the target was started, where no run folder ' +
      'was made yet, or in the warm-up, from where the run can be resumed.',
  },
  CAPACITY_NOT_MEASURED: {
    exit: 'badInput',
    meaning:
      '`transcribench capacity --what-if` asks the simulation of a capacity that was measured: it takes the folder of such a run.',
  },
  NOTHING_TO_MEASURE: {
    exit: 'badInput',
    meaning:
      'No utterance or no contender is left after --exclude and --skip-unready, or the load has no arrival in its time.',
  },
  EXPORT_AMBIGUOUS: {
    exit: 'badInput',
    meaning:
      'An export has a place for each name of a run. The same name given twice would be written twice. The format leaderboard ' +
      'names its files by contender and corpus: two runs of one corpus need two folders.',
  },
  EXPORT_UNWRITABLE: {
    exit: 'badInput',
    meaning:
      'The folder that an export, a query or a site is written to cannot be made or written. Files that were complete ' +
      'before are left there.',
  },
  RUN_NOT_TRACKED: {
    exit: 'runNotValid',
    meaning:
      'Programs that follow figures over time have no place for the reason why a run is not valid, so such a run is not ' +
      'written for them. Its tables can be exported.',
  },
  DUCKDB_MISSING: {
    exit: 'badInput',
    meaning:
      'transcribench query answers by DuckDB. Its package of 60 MB is installed by those who need it: ' +
      'npm install @duckdb/node-api.',
  },
  NOTHING_TO_QUERY: {
    exit: 'badInput',
    meaning:
      'A query is about runs, or about folders with the Parquet files of transcribench export. Without a name it is about all ' +
      'runs of the results folder.',
  },
  OBJECT_STORAGE_UNREADABLE: {
    exit: 'badInput',
    meaning:
      'A query about s3://<bucket>/<folder> needs the DuckDB extension httpfs, which DuckDB fetches once from its own site, ' +
      'and keys for the storage. One of the two is missing, or the address is wrong.',
  },
  QUERY_FAILED: {
    exit: 'badInput',
    meaning:
      'DuckDB does not understand the query, or could not answer it. The message is its own. SHOW TABLES lists the tables, ' +
      'and DESCRIBE <table> the columns.',
  },
  FLEET_UNFIT: {
    exit: 'badInput',
    meaning:
      'A fleet measures recordings on the one target of each host. The history of a target as a load, texts, contenders with ' +
      'separate targets, billed contenders and answers of earlier runs are measured by transcribench run.',
  },
  MERGE_MISMATCH: {
    exit: 'badInput',
    meaning:
      'Runs of several hosts become one run only where each host has measured the same: the same corpus, normalisation, load, ' +
      'rounds, contenders and settings, each to the end of its plan. All differences are listed at once.',
  },
})

// Next commands to type, with paths relative to the working directory of this process.

/** Goes on with a run. */
export function resumeCommand(folder: string): string {
  return `transcribench run --resume ${runName(folder)}`
}

/** Scores a run from its journal. */
export function scoreCommand(folder: string): string {
  return `transcribench score ${runName(folder)}`
}

/** Sends the plan of a run again. */
export function replayCommand(folder: string): string {
  return `transcribench replay ${runName(folder)}`
}

/** Measures the same anew. */
export function anewCommand({ command }: Pick<RunRecord, 'command'>): string {
  return command.length === 0 ? 'transcribench run' : command.map(shellWord).join(' ')
}

/** Asks a target what it has. */
export function doctorCommand({
  target,
  keyFrom = null,
  engines = null,
}: Pick<BenchConfig, 'target'> & Partial<Pick<BenchConfig, 'keyFrom' | 'engines'>>): string {
  return [
    'transcribench doctor',
    ...(target === 'embedded' ? [] : [shellWord(target)]),
    ...(keyFrom === null ? [] : ['--key-from', shellWord(keyFrom)]),
    ...(engines === null ? [] : ['--engines', shellWord(engines)]),
  ].join(' ')
}

/** Gives back what runs of a results folder have left on a target. */
export function cleanCommand(target: string, resultsFolder: string | null): string {
  const results =
    resultsFolder === null || isUsual(resultsFolder) ? '' : ` --results ${shellWord(resultsFolder)}`
  return `transcribench modes clean${target === 'auto' ? '' : ` --target ${shellWord(target)}`}${results}`
}

/** What a command finds the run by: its name alone where runs usually are. */
function runName(folder: string): string {
  return isUsual(dirname(folder)) ? basename(folder) : shellWord(folder)
}

function isUsual(resultsFolder: string): boolean {
  return resolve(resultsFolder) === resolve('results')
}
