import { type Evaluation, scoreName, type UtteranceEvaluation } from '#analysis/documents/evaluation'
import { contenderDrawings, drawTimeline, over100 } from '#analysis/figures/drawings'
import { beatenInBoth } from '#analysis/figures/ranking/ranking'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import type { PlannedUtterance } from '#journal/plan-line'
import { extendProfile } from '#scoring/profiles/extension'
import { findRecordedProfile } from '#scoring/profiles/index'
import type { ErrorLevel } from '#scoring/profiles/profile'
import {
  type PageAttempt,
  type PageScoring,
  type PageUtterance,
  pageFormatVersion,
  type RunPage,
  type RunTables,
  type TitledTable,
} from '../layout/page-document.ts'
import { type Column, column, makeTable, shownColumns, textColumn } from '../layout/table.ts'
import { formatDollars } from '../layout/units.ts'
import { listDimensions } from '../layout/words.ts'
import { answerSentence } from './answer.ts'
import { contenderRows, pageSummaryColumns, waitingColumns } from './contender-tables.ts'
import type { DetailTable } from './details/detail-table.ts'
import { entityDetails } from './details/error-details.ts'
import { hostDetails, isLoadInTable, loadDetails, targetDetails } from './details/load-details.ts'
import { energyDetails, gpuDetails } from './details/machine-details.ts'
import { lengthDetails, predictionDetails, timeDetails } from './details/speed-details.ts'
import { limitDetails, matrixDetails, robustnessDetails } from './details/varied-details.ts'
import { describeProvenance, reproduceCommands } from './provenance.ts'
import { sharedFacts } from './summary-notes.ts'

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
      answer: answerSentence(evaluation),
      facts: sharedFacts(evaluation),
      tables: runTables(shown),
      evaluation: figures,
      scoring: describeScoring(evaluation, material),
      drawings: contenderDrawings(evaluation),
      timeline: drawTimeline(material.attempts, contenders),
      beaten: beatenInBoth(evaluation),
      over100: over100(evaluation),
      failures,
      utteranceCount: rows.length,
      hasTexts: options.hasTexts ?? true,
      provenance: describeProvenance(material.record, evaluation),
      reproduce: reproduceCommands(material.record),
    },
    rows,
  }
}

/**
 * The rules of an evaluation, as far as the run has them: what was added at a later scoring is named in the
 * profile's id, and kept nowhere.
 */
function describeScoring({ profile }: Evaluation, { record }: RunMaterial): PageScoring {
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

function runTables(evaluation: Evaluation): RunTables {
  const rows = contenderRows(evaluation)
  const matrix = listDimensions(evaluation.contenders).flatMap(({ name }) => {
    const table = matrixDetails(evaluation, name)
    return table === null ? [] : [{ name, title: table.title, table: table.toPage() }]
  })
  return {
    summary: makeTable(pageSummaryColumns(evaluation), rows),
    waiting: makeTable(waitingColumns(evaluation), rows),
    lengths: lengthDetails(evaluation)?.toPage() ?? null,
    predictions: predictionDetails(evaluation)?.toPage() ?? null,
    costs:
      evaluation.costs === null ? null : makeTable(shownColumns(costColumns), costRows(evaluation.costs)),
    robustness: titled(robustnessDetails(evaluation)),
    limits: titled(limitDetails(evaluation)),
    entities: titled(entityDetails(evaluation)),
    times: titled(timeDetails(evaluation)),
    targets: targetDetails(evaluation)?.toPage(),
    matrix: matrix.length === 0 ? undefined : matrix,
    load: (isLoadInTable(evaluation) ? titled(loadDetails(evaluation)) : null) ?? undefined,
    hosts: titled(hostDetails(evaluation)) ?? undefined,
    gpus: titled(gpuDetails(evaluation)) ?? undefined,
    energy: titled(energyDetails(evaluation)) ?? undefined,
  }
}

function titled(table: DetailTable | null): TitledTable | null {
  return table === null ? null : { title: table.title, note: table.notes.join(' '), table: table.toPage() }
}

interface CostRow {
  readonly contenderId: string
  readonly usdPerAudioHour: number
  /** Null where nothing was billed. */
  readonly usd: number | null
}

/** What was billed first; of a machine of one's own it is the energy. */
function costRows({ providers, local }: NonNullable<Evaluation['costs']>): readonly CostRow[] {
  return [
    ...providers,
    ...local.map(({ contenderId, energyUsdPerAudioHour }) => ({
      contenderId,
      usdPerAudioHour: energyUsdPerAudioHour,
      usd: null,
    })),
  ]
}

const costColumns: readonly Column<CostRow>[] = [
  textColumn('contender', { header: 'contender', kind: 'contender' }, ({ contenderId }) => contenderId),
  column(
    'usd_per_audio_hour',
    'USD an hour of audio',
    ({ usdPerAudioHour }) => usdPerAudioHour,
    formatDollars,
  ),
  column('spent_usd', 'USD in this run', ({ usd }) => usd, formatDollars),
]

/** What a page may show, and where its recordings are. */
export interface PageOptions {
  /** Whether references and hypotheses are included; default true. Private speech may require false. */
  readonly hasTexts?: boolean
  /** Address of an utterance's recording, relative to the page; default none. */
  readonly audioOf?: (utterance: PlannedUtterance) => string | null
}

/** The utterances of a run in the order of its plan, each with all its attempts. */
function pageRows(
  { utterances }: Pick<RunMaterial, 'utterances'>,
  judged: readonly UtteranceEvaluation[],
  legend: {
    readonly contenders: readonly string[]
    readonly failures: readonly string[]
    readonly leads: ErrorLevel
  },
  { hasTexts = true, audioOf = () => null }: PageOptions,
): PageUtterance[] {
  const { contenders, failures, leads } = legend
  const places = {
    contenders: new Map(contenders.map((id, index) => [id, index])),
    failures: new Map(failures.map((label, index) => [label, index])),
    leads,
  }
  const byUtterance = Map.groupBy(judged, ({ utteranceId }) => utteranceId)
  return utterances.flatMap((utterance): PageUtterance[] => {
    const rows = byUtterance.get(utterance.id)
    if (rows === undefined) return []
    const texts = new Map<string, number>()
    const attempts = rows.map((row) => pageAttempt(row, places, hasTexts ? texts : null))
    // The evaluation's own: it may have been made with corrected references.
    const reference = rows[0]?.reference ?? utterance.reference
    const { id, durationSeconds, speaker, language, tags } = utterance
    return [
      {
        id,
        reference: hasTexts ? reference : null,
        seconds: durationSeconds,
        speaker,
        language,
        tags,
        audio: audioOf(utterance),
        texts: [...texts.keys()],
        attempts,
      },
    ]
  })
}

interface Places {
  readonly contenders: ReadonlyMap<string, number>
  readonly failures: ReadonlyMap<string, number>
  readonly leads: ErrorLevel
}

/** @param texts takes the text up where it is new; null leaves texts out */
function pageAttempt(
  row: UtteranceEvaluation,
  places: Places,
  texts: Map<string, number> | null,
): PageAttempt {
  const { hypothesis, failure, latencyMs, [places.leads]: counts } = row
  return [
    places.contenders.get(row.contenderId) ?? 0,
    row.round,
    hypothesis === null || texts === null ? null : takeUp(hypothesis, texts),
    failure === null || row.status === 'scored' ? null : (places.failures.get(failureName(row)) ?? null),
    latencyMs === null ? null : Math.round(latencyMs * 10) / 10,
    ...(counts === null ? [] : [counts.hits, counts.substitutions, counts.deletions, counts.insertions]),
  ]
}

/** Why a request failed, in one line. */
function failureName({ failure, failureMessage }: UtteranceEvaluation): string {
  return failureMessage === null ? (failure ?? '') : `${failure}: ${failureMessage}`
}

function takeUp(text: string, texts: Map<string, number>): number {
  const known = texts.get(text)
  if (known !== undefined) return known
  texts.set(text, texts.size)
  return texts.size - 1
}
