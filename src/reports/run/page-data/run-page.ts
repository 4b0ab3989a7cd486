import {
  beatenInBoth,
  contenderDrawings,
  type Evaluation,
  over100,
  type RunMaterial,
  scoreName,
  timelineOf,
} from '#analysis'
import { extendProfile, findRecordedProfile } from '#scoring'
import { pageFormatVersion } from '../../layout/page-version.ts'
import type { PageScoring, PageUtterance, RunPage } from '../../page-document.ts'
import { answerSentence } from '../answer.ts'
import { sharedFacts } from '../shared-facts.ts'
import { failureName, type PageOptions, pageRows } from './page-rows.ts'
import { provenanceOf, reproduceCommands } from './provenance.ts'
import { runTables } from './run-tables.ts'

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
  const shown = options.hasTexts === false ? withoutTexts(evaluation) : evaluation
  const { utterances, ...figures } = shown
  const contenders = evaluation.contenders.map(({ contender }) => contender.id)
  const failures = [
    ...new Set(
      utterances.flatMap((row) => (row.failure === null || row.status === 'scored' ? [] : failureName(row))),
    ),
  ]
  const rows = pageRows(
    material,
    utterances,
    { contenders, failures, leads: evaluation.profile.leads },
    options,
  )
  return {
    document: {
      kind: 'run',
      formatVersion: pageFormatVersion,
      title: `${evaluation.run.name} · ${evaluation.run.startedAt.slice(0, 16).replace('T', ' ')} UTC · ${scoreName(evaluation)}`,
      scoreName: scoreName(evaluation),
      answer: answerSentence(evaluation),
      facts: sharedFacts(evaluation),
      tables: runTables(shown),
      evaluation: figures,
      scoring: scoringOf(evaluation, material),
      drawings: contenderDrawings(evaluation),
      timeline: timelineOf(material.attempts, contenders),
      beaten: beatenInBoth(evaluation),
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

/**
 * The rules of an evaluation, as far as the run has them: what was added at a later scoring is named in the
 * profile's id, and kept nowhere.
 */
function scoringOf({ profile }: Evaluation, { record }: RunMaterial): PageScoring {
  const [profileId = profile.id] = profile.id.split('+')
  const base = findRecordedProfile(profileId)
  const own = record.scoringRules
  const rules = own === undefined || profile.id === profileId ? [] : [{ name: 'own', rules: own }]
  const made = rules.reduce((extended, added) => extendProfile(extended, added.rules, added.name), base)
  return { profileId, rules, isComplete: made.fingerprint === profile.fingerprint }
}

/** The figures without anything that was said: lists of words go, what was counted stays. */
function withoutTexts(evaluation: Evaluation): Evaluation {
  return {
    ...evaluation,
    audit: { ...evaluation.audit, suspects: [] },
    errorAnalyses: evaluation.errorAnalyses.map((analysis) => ({
      ...analysis,
      confusions: {
        words: unlisted(analysis.confusions.words),
        phrases: unlisted(analysis.confusions.phrases),
      },
      keywords: analysis.keywords === null ? null : { ...analysis.keywords, keywords: [] },
      entities: analysis.entities.map((entity) => ({ ...entity, missed: [] })),
      names: analysis.names.reason === null ? { ...analysis.names, names: [] } : analysis.names,
      pathologies: analysis.pathologies.map((pathology) => ({
        ...pathology,
        examples: pathology.examples.map((example) => ({ ...example, detail: '' })),
      })),
      silence: analysis.silence === null ? null : { ...analysis.silence, examples: [] },
    })),
  }
}

type Confused = Evaluation['errorAnalyses'][number]['confusions']['words']

function unlisted(table: Confused): Confused {
  return { ...table, substitutions: [], deletions: [], insertions: [] }
}
