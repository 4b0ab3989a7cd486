/**
 * `large-run.ts make <results> <utterances> <rounds>` writes the run folder `large`, two contenders in it;
 * `large-run.ts score <folder>` scores it as `asrbench score` does, `evaluate` without writing anything; both print
 * what that took as JSON.
 */
import { evaluateRun } from '#analysis'
import { createRun, readRun, runFiles, writeRunDocument } from '#journal'
import { scoreRun } from '#session'
import { measuredRun } from '../analysis/measured-run.ts'
import { utterances } from '../bench/scoring-corpus.ts'

/** What one way to look at a run took. */
export interface LargeRunFigures {
  readonly attemptCount: number
  readonly seconds: number
  readonly peakMegabytes: number
}

const contenders = ['tiny', 'base'] as const

async function make(results: string, utteranceCount: number, rounds: number): Promise<void> {
  const texts = utterances(utteranceCount)
  const answers = new Map(texts.map(({ hypothesis }, index) => [`u${index}`, hypothesis]))
  const { record, ...run } = measuredRun({
    utterances: texts.map(({ reference }, index) => ({
      id: `u${index}`,
      reference,
      seconds: reference.split(' ').length / 2.5,
      speaker: `s${index % 500}`,
    })),
    contenders,
    rounds,
    fate: ({ utterance }) => answers.get(utterance.id) ?? '',
    record: { scoringProfile: 'english' },
  })
  await using writer = await createRun(results, 'large')
  await writer.writePlan([...run.utterances, ...run.requests])
  await writer.writeRecord(record)
  const lines = function* (): Iterable<string> {
    for (const attempt of run.attempts) yield `${JSON.stringify(attempt)}\n`
  }
  await writeRunDocument(writer.folder, runFiles.journal, lines())
}

/** Scores in the way of `asrbench score`: reads, evaluates, writes every document. */
async function score(folder: string): Promise<LargeRunFigures> {
  const startedAt = performance.now()
  const { utterances: rows } = await scoreRun(folder)
  return figures(rows.length, startedAt)
}

/** The evaluation alone. */
async function evaluate(folder: string): Promise<LargeRunFigures> {
  const material = await readRun(folder)
  const startedAt = performance.now()
  const { utterances: rows } = evaluateRun(material)
  return figures(rows.length, startedAt)
}

function figures(attemptCount: number, startedAt: number): LargeRunFigures {
  return {
    attemptCount,
    seconds: (performance.now() - startedAt) / 1000,
    peakMegabytes: process.resourceUsage().maxRSS / 1000,
  }
}

const [way, folder = '', utteranceCount, rounds] = process.argv.slice(2)
if (way === 'make') await make(folder, Number(utteranceCount), Number(rounds))
else {
  const taken = await (way === 'score' ? score(folder) : evaluate(folder))
  process.stdout.write(`${JSON.stringify(taken)}\n`)
}
