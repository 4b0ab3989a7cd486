import type { Evaluation, RunMaterial } from '#analysis'
import { answerSentence } from '../answer.ts'
import { type PageUtterance, pageFormatVersion, type RunPage } from './page-document.ts'
import { type PageOptions, pageRows } from './page-rows.ts'
import { provenanceOf, reproduceCommands } from './provenance.ts'
import { contenderDrawings, over100, timelineOf } from './run-drawings.ts'

/** A page in two parts: what is shown at once, and the utterances, which may be many. */
export interface PageContent {
  readonly document: RunPage
  readonly rows: readonly PageUtterance[]
}

/**
 * Everything that the page of a run shows.
 *
 * @param material what the evaluation was made of: times, texts and recordings come from it, judgements do not
 */
export function runPage(
  evaluation: Evaluation,
  material: RunMaterial,
  options: PageOptions = {},
): PageContent {
  const { utterances, ...rest } = evaluation
  const contenders = evaluation.contenders.map(({ contender }) => contender.id)
  const failures = [
    ...new Set(
      utterances.flatMap(({ failure, status }) => (failure === null || status === 'scored' ? [] : failure)),
    ),
  ]
  const rows = pageRows(material, utterances, { contenders, failures }, options)
  return {
    document: {
      kind: 'run',
      formatVersion: pageFormatVersion,
      title: `${evaluation.run.name} · ${evaluation.run.startedAt.slice(0, 16).replace('T', ' ')} UTC`,
      answer: answerSentence(evaluation),
      evaluation: rest,
      drawings: contenderDrawings(evaluation),
      timeline: timelineOf(material.attempts, contenders),
      over100: over100(evaluation),
      failures,
      utteranceCount: rows.length,
      hasTexts: options.hasTexts ?? true,
      provenance: provenanceOf(material.record, evaluation),
      reproduce: reproduceCommands(material.record),
    },
    rows,
  }
}
