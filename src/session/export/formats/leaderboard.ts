import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordedRun } from '#journal'
import type { ExportFormat } from '../export-format.ts'

/** The manifests that the scripts of the Open ASR Leaderboard score: one for each contender. */
export const leaderboard: ExportFormat = {
  name: 'leaderboard',
  summary: 'manifests of the Open ASR Leaderboard: text, pred_text, duration, time',
  async write({ run, output }) {
    const paths: string[] = []
    for (const { id } of run.record.contenders) {
      const path = `MODEL_transcribench-${nameOf(id)}_DATASET_${nameOf(run.record.corpus.name)}__test.jsonl`
      const lines = manifestOf(run, id).map((row) => `${JSON.stringify(row)}\n`)
      await writeFile(join(output, path), lines.join(''))
      paths.push(path)
    }
    return paths
  },
}

/** Underscores part the names of model and data set in the name of the file. */
function nameOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}.]+/gu, '-')
}

/**
 * The first measured answer of each utterance, otherwise one of an earlier run, which has no time; one that failed is an empty
 * text, which counts as deleted.
 */
function manifestOf(run: RecordedRun, contenderId: string): readonly object[] {
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
