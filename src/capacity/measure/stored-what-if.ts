import { join } from 'node:path'
import { excludedUnknown } from '#corpus/read-corpus'
import { readRun } from '#journal/run-reader'
import { runFiles } from '#journal/run-writer'
import { capacityFile, readCapacity } from '#results/stored-document'
import { runErrors } from '#run/execute/errors'
import { capacityErrors } from '../errors.ts'
import type { CapacityFinding, WhatIfAnswer } from '../finding.ts'
import { fleetFor } from '../found.ts'
import { type Objective, parseObjectives } from '../objective.ts'
import { type AskedMeasurement, evaluateWhatIf, withoutFlag } from '../simulation.ts'

/** A question about a measured capacity. Null stands for the measured value. */
export interface WhatIfQuestion {
  /** Ids of recordings to exclude from the mix. */
  readonly exclude: readonly string[]
  readonly objectives: readonly Objective[] | null
  readonly users: number | null
}

/**
 * Simulates an unmeasured configuration from a stored finding. Sends and writes nothing.
 *
 * @param folder of a capacity measurement
 * @returns the finding, with the questions and answers added to its simulations, and the answers
 * @throws BenchError RUN_NOT_FOUND, CAPACITY_NOT_MEASURED, DOCUMENT_UNREADABLE, NOTHING_TO_MEASURE,
 * CORPUS_UNUSABLE for excluded ids that were not measured
 */
export async function evaluateStoredWhatIf(folder: string, question: WhatIfQuestion) {
  const { record, utterances } = await readRun(folder)
  const finding = await readFinding(folder)
  const recordings = utterances.map(({ id, durationSeconds }) => ({ id, durationSeconds }))
  const ids = recordings.map(({ id }) => id)
  const unknown = question.exclude.filter((id) => !ids.includes(id))
  if (unknown.length > 0) {
    const hint = `those that were measured are in ${join(folder, runFiles.plan)}`
    throw excludedUnknown(unknown, { name: finding.id, ids, hint })
  }
  const measurement: AskedMeasurement = {
    objectives: question.objectives ?? parseObjectives(finding.objectives),
    habit: finding.habit,
    seed: finding.seed,
    command:
      question.objectives === null
        ? finding.command
        : [
            ...withoutFlag(finding.command, '--slo'),
            ...question.objectives.flatMap(({ text }) => ['--slo', text]),
          ],
    excluded: record.corpus.excluded,
    sampledFrom: record.corpus.sampledFrom ?? null,
  }
  const mix = recordings.filter(({ id }) => !question.exclude.includes(id))
  if (mix.length === 0) {
    throw runErrors.make('NOTHING_TO_MEASURE', {
      message: '--exclude leaves no recording of those that were measured',
      hint: 'exclude fewer: --exclude takes ids, separated by commas',
    })
  }
  const words = [
    ...(question.exclude.length === 0 ? [] : [`${mix.length} of its ${recordings.length} recordings`]),
    ...(question.objectives === null
      ? []
      : [`${question.objectives.map(({ text }) => `“${text}”`).join(' and ')}`]),
  ].join(', ')
  const answers: WhatIfAnswer[] = []
  const contenders = finding.contenders.map((contender) => {
    const { id: contenderId, simulation } = contender
    if (simulation === null || simulation.silentBecause !== null) {
      const silentBecause = simulation?.silentBecause ?? 'too little was measured to make one'
      answers.push({ contenderId, whatIf: null, silentBecause, fleet: null })
      return contender
    }
    const whatIf = evaluateWhatIf(simulation, measurement, {
      words: words === '' ? 'as it was measured' : words,
      mix,
      without: question.exclude,
    })
    const habit = { ...finding.habit, meanAudioSeconds: whatIf.meanAudioSeconds }
    const { users } = question
    const size = users === null ? null : fleetFor(users, whatIf.capacity?.requestsPerSecond ?? 0, habit)
    const fleet = users === null ? null : { users, size: size && { ...size, basis: 'forecast' as const } }
    answers.push({ contenderId, whatIf, silentBecause: null, fleet })
    return { ...contender, simulation: { ...simulation, whatIfs: [...simulation.whatIfs, whatIf] } }
  })
  return { finding: { ...finding, contenders }, answers }
}

async function readFinding(folder: string): Promise<CapacityFinding> {
  const finding = await readCapacity(folder)
  if (finding !== null) return finding
  throw capacityErrors.make('CAPACITY_NOT_MEASURED', {
    message: `${folder} holds no capacity: it has no ${capacityFile}`,
    hint: 'measure one: transcribench capacity',
  })
}
