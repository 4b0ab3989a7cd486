import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import { makeFolder } from '#installation/files'
import { type RecordedRun, readRecord } from '#journal/run-reader'
import { allOf, shellWord } from '#prelude'
import { bencherJson, githubBenchmarkJson } from '#reports/run/summary-document'
import { resultsErrors } from './errors.ts'
import {
  describeExport,
  type ExportFormat,
  readForExport,
  type StoredScoringChoice,
  tableFormat,
  tableWriters,
} from './export-tables.ts'

/**
 * Writes recorded runs for other programs, one after the other. Texts are scored again by the run's own rules or the
 * chosen profile; the run folders are not changed.
 *
 * @param output absolute path of a folder; created if it is missing
 * @returns the written files, relative to the folder of the export
 * @throws BenchError EXPORT_UNWRITABLE, EXPORT_AMBIGUOUS, RUN_NOT_TRACKED, and of the journal's table
 */
export async function exportRuns(
  folders: readonly string[],
  output: string,
  format: ExportFormat,
  scoring: StoredScoringChoice,
): Promise<readonly string[]> {
  // Runs of several results folders may have the same name.
  const ids = (await allOf(folders.map(readRecord))).map(({ id }) => id)
  addOnce(ids, new Set(), oneName)
  await writing(output, () => makeFolder(output))
  const written = new Set<string>()
  for (const folder of folders) {
    const request = { ...(await readForExport(folder, scoring)), output }
    // Some formats name files by contender and corpus, so different runs may have the same file.
    addOnce(await writing(output, () => format.write(request)), written, oneFile)
  }
  const description = await writing(output, () => describeExport(output))
  return description === null ? [...written] : [...written, description]
}

const oneName = {
  words: (count: number) => `${count === 1 ? 'one run is' : `${count} runs are`} named more than once`,
  hint: 'name each run once; two different runs of one name need two folders',
}

const oneFile = {
  words: (count: number) =>
    `${count === 1 ? 'one file' : `${count} files`} would hold several runs or contenders`,
  hint: 'export each run into a separate folder; names of contenders have to differ in a letter or a digit',
}

/** Adds names to earlier ones. It refuses repeated names, because a later file would replace an earlier one. */
function addOnce(names: readonly string[], earlier: Set<string>, { words, hint }: typeof oneName): void {
  const repeated = new Set<string>()
  for (const name of names) {
    if (earlier.has(name)) repeated.add(name)
    earlier.add(name)
  }
  if (repeated.size === 0) return
  throw resultsErrors.make('EXPORT_AMBIGUOUS', {
    message: words(repeated.size),
    hint,
    problems: Array.from(repeated, (what) => ({ where: null, what })),
  })
}

/** @throws BenchError EXPORT_UNWRITABLE instead of an error of the file system */
export async function writing<Value>(output: string, write: () => Promise<Value>): Promise<Value> {
  try {
    return await write()
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw resultsErrors.make('EXPORT_UNWRITABLE', {
      message: `${output} cannot be written: ${cause.message}`,
      hint: 'name a folder on a disk with space that may be written to',
      cause,
    })
  }
}

/** The manifests that the scripts of the Open ASR Leaderboard score: one per contender. */
const leaderboard: ExportFormat = {
  name: 'leaderboard',
  summary: 'manifests of the Open ASR Leaderboard: text, pred_text, duration, time',
  async write({ run, output }) {
    const paths: string[] = []
    for (const { id } of run.record.contenders) {
      const path = `MODEL_transcribench-${cleanName(id)}_DATASET_${cleanName(run.record.corpus.name)}__test.jsonl`
      const lines = makeManifest(run, id).map((row) => `${JSON.stringify(row)}\n`)
      await writeFile(join(output, path), lines.join(''))
      paths.push(path)
    }
    return paths
  },
}

/** A name without underscores, because they separate model and data set in the file name. */
function cleanName(text: string): string {
  return text.replace(/[^\p{L}\p{N}.]+/gu, '-')
}

/**
 * The first measured answer of each utterance, otherwise an answer of an earlier run, without a time. A failed
 * request is an empty text, which counts as deletions.
 */
function makeManifest(run: RecordedRun, contenderId: string): readonly object[] {
  const answers = new Map<string, { readonly text: string; readonly seconds: number | null }>()
  for (const { phase, contenderId: of, utteranceId, outcome, sentAtMs, endedAtMs } of run.attempts) {
    if (of !== contenderId || phase !== 'measure' || !outcome.ok || answers.has(utteranceId)) continue
    answers.set(utteranceId, { text: outcome.answer.text, seconds: (endedAtMs - sentAtMs) / 1000 })
  }
  for (const { contenderId: of, utteranceId, outcome } of run.reused) {
    if (of !== contenderId || !outcome.ok || answers.has(utteranceId)) continue
    answers.set(utteranceId, { text: outcome.answer.text, seconds: null })
  }
  return run.utterances.map(({ id, audio, reference, durationSeconds }) => ({
    audio_filepath: audio === '' ? id : audio,
    duration: durationSeconds,
    time: answers.get(id)?.seconds ?? null,
    text: reference,
    pred_text: answers.get(id)?.text ?? '',
  }))
}

const githubBenchmark = trackerFormat(
  'github-benchmark',
  'for github-action-benchmark with tool: customSmallerIsBetter',
  githubBenchmarkJson,
)

const bencher = trackerFormat('bencher', 'Bencher Metric Format, for bencher run --adapter json', bencherJson)

/** A format for a program that tracks figures of runs over time: one small file per run. */
function trackerFormat(
  name: string,
  summary: string,
  render: (evaluation: Evaluation) => string,
): ExportFormat {
  return {
    name,
    summary,
    async write({ run, scoring, output }) {
      const evaluation = evaluateRun(run, scoring)
      if (evaluation.validity === 'invalid') {
        throw resultsErrors.make('RUN_NOT_TRACKED', {
          message: `${run.record.id} is not valid: its figures are not to be followed`,
          hint: `see why: transcribench report ${shellWord(run.folder)}`,
        })
      }
      const path = `${run.record.id}.${name}.json`
      await writeFile(join(output, path), render(evaluation))
      return [path]
    },
  }
}

/** Every format of `transcribench export`; the first is the default. */
export const exportFormats: readonly ExportFormat[] = [
  ...tableWriters.map(tableFormat),
  bencher,
  githubBenchmark,
  leaderboard,
]
