/**
 * `large-run.ts make <results> <utterances> <rounds>` writes the run folder `large`, two contenders in it; with a name
 * after that, a run of this name, one contender in it, whose requests fail now and then, whose texts differ from round
 * to round now and then, and where the name is `later`, hold two errors more in every tenth utterance.
 * `large-run.ts score <folder>` scores it as `transcribench score` does, `evaluate` without writing anything; both print
 * what that took as JSON.
 */
import { evaluateRun } from '#analysis/evaluate-run'
import type { AttemptLine } from '#journal/attempt-line'
import { readRun } from '#journal/run-reader'
import { createRun, runFiles, writeRunDocument } from '#journal/run-writer'
import { seededRandom } from '#prelude'
import { scoreRun } from '#results/scores'
import { measuredRun, type ScriptedRun, timedOut } from '../analysis/measured-run.ts'
import { utterances } from '../bench/scoring-corpus.ts'

/** What one way to look at a run took. */
export interface LargeRunFigures {
  readonly attemptCount: number
  readonly seconds: number
  readonly peakMegabytes: number
}

const contenders = ['tiny', 'base'] as const

async function make(
  results: string,
  utteranceCount: number,
  rounds: number,
  name: string | undefined,
): Promise<void> {
  const texts = utterances(utteranceCount)
  const answers = new Map(texts.map(({ hypothesis }, index) => [`u${index}`, hypothesis]))
  const plain: Pick<ScriptedRun, 'fate' | 'durationMs'> = {
    fate: ({ utterance }) => answers.get(utterance.id) ?? '',
  }
  const { record, ...run } = measuredRun({
    utterances: texts.map(({ reference }, index) => ({
      id: `u${index}`,
      reference,
      seconds: reference.split(' ').length / 2.5,
      speaker: `s${index % 500}`,
    })),
    contenders: name === undefined ? contenders : ['base'],
    rounds,
    ...(name === undefined ? plain : lifelike(answers, name === 'later')),
    record: { scoringProfile: 'english@3' },
  })
  await using writer = await createRun(results, name ?? 'large')
  await writer.writePlan([...run.utterances, ...run.requests])
  await writer.writeRecord(record)
  const lines = function* (): Iterable<string> {
    for (const attempt of run.attempts) yield `${JSON.stringify(withSocket(attempt), inMicroseconds)}\n`
  }
  await writeRunDocument(writer.folder, runFiles.journal, lines())
}

function lifelike(
  answers: ReadonlyMap<string, string>,
  isLater: boolean,
): Pick<ScriptedRun, 'fate' | 'durationMs'> {
  const random = seededRandom(isLater ? 2 : 1)
  return {
    fate({ utterance }) {
      if (random.unit() < 0.001) return timedOut
      const answer = answers.get(utterance.id) ?? ''
      const isWorse = isLater && Number(utterance.id.slice(1)) % 10 === 0
      const varied = random.unit() < 0.02 ? answer.replace(/\S+/, 'varied') : answer
      return isWorse ? `${varied} invented words` : varied
    },
    durationMs: ({ utterance }) => (40 + 20 * (utterance.seconds ?? 0)) * (0.9 + 0.2 * random.unit()),
  }
}

/** Times have three decimals in a journal. */
function inMicroseconds(key: string, value: unknown): unknown {
  return key.endsWith('Ms') && typeof value === 'number' ? Math.round(value * 1000) / 1000 : value
}

/** As a run writes it down today. */
function withSocket(attempt: AttemptLine): AttemptLine {
  const { sentAtMs, firstByteAtMs } = attempt
  if (firstByteAtMs === null) return attempt
  return {
    ...attempt,
    socket: { startedAtMs: sentAtMs + 0.125, connectMs: 0, uploadedAtMs: sentAtMs + 0.375 },
  }
}

/** Scores in the way of `transcribench score`: reads, evaluates, writes every document. */
async function score(folder: string): Promise<LargeRunFigures> {
  const startedAt = performance.now()
  const { evaluation } = await scoreRun(folder)
  const { utterances: rows } = evaluation
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

const [way, folder = '', utteranceCount, rounds, name] = process.argv.slice(2)
if (way === 'make') await make(folder, Number(utteranceCount), Number(rounds), name)
else {
  const taken = await (way === 'score' ? score(folder) : evaluate(folder))
  process.stdout.write(`${JSON.stringify(taken)}\n`)
}
