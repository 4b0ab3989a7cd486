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
  type TitledTable,
} from '../layout/page-document.ts'
import { columnsOf, makeTable, shownColumns } from '../layout/table.ts'
import { formatDollars, formatMinute } from '../layout/units.ts'
import { answerSentence } from './answer.ts'
import { contenderRows, pageSummaryColumns, waitingColumns } from './contender-tables.ts'
import { type DetailName, type DetailTable, detailTable } from './details/details.ts'
import { isLoadInTable } from './details/load-details.ts'
import { describeProvenance, reproduceCommands } from './provenance.ts'
import { sharedFacts } from './summary-notes.ts'
import { listDimensions } from './varied.ts'

/** The page of one run. The utterances follow in separate parts, so that the first figures are shown before them. */
export interface RunPage extends Readonly<ReturnType<typeof runPage>['document']> {
  /** Address of the list of runs that the page belongs to, relative to the page; absent for a standalone page. */
  readonly library?: string
}

/**
 * Everything that the page of a run shows.
 *
 * @param material the records that were evaluated: only times, texts and recordings are taken from it
 */
export function runPage(evaluation: Evaluation, material: RunMaterial, options: PageOptions = {}) {
  const shown = options.hasTexts === false ? withoutTexts(evaluation) : evaluation
  const { utterances, ...figures } = shown
  const contenders = evaluation.contenders.map(({ contender }) => contender.id)
  const failures = [...new Set(utterances.flatMap((row) => failureOfRow(row) ?? []))]
  const rows = pageRows(material, utterances, contenders, failures, evaluation.profile.leads, options)
  return {
    document: {
      kind: 'run' as const,
      formatVersion: pageFormatVersion,
      title: `${evaluation.run.name} · ${formatMinute(evaluation.run.startedAt)} · ${scoreName(evaluation)}`,
      answer: answerSentence(evaluation),
      facts: sharedFacts(evaluation),
      tables: runTables(shown),
      evaluation: figures,
      scoring: describeScoring(evaluation, material),
      drawings: contenderDrawings(evaluation),
      timeline: drawTimeline(material.attempts, contenders),
      /** Contenders that another one significantly beats in both errors and speed. */
      beaten: beatenInBoth(evaluation),
      /** The worst utterances, at most 20: more errors than words, or than characters if their rate leads. */
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
 * The rules of an evaluation that the run record contains. Rules added by a later scoring are only named in the
 * profile's id, and are not available.
 */
function describeScoring({ profile }: Evaluation, { record }: RunMaterial): PageScoring {
  const [profileId = profile.id] = profile.id.split('+')
  const base = findRecordedProfile(profileId)
  const recorded = record.scoringRules
  const rules = recorded === undefined || profile.id === profileId ? [] : [{ name: 'own', rules: recorded }]
  const rebuilt = rules.reduce((extended, added) => extendProfile(extended, added.rules, added.name), base)
  return { profileId, rules, isComplete: rebuilt.fingerprint === profile.fingerprint }
}

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

function runTables(evaluation: Evaluation) {
  const rows = contenderRows(evaluation)
  const find = (name: DetailName): DetailTable | null => detailTable(evaluation, name)
  const titled = (name: DetailName): TitledTable | null => {
    const found = find(name)
    return found && { title: found.title, note: found.notes.join(' '), table: found.table }
  }
  const matrix = listDimensions(evaluation.contenders).flatMap(({ name }) => {
    const found = find(`by-${name}`)
    return found === null ? [] : [{ name, title: found.title, table: found.table }]
  })
  return {
    summary: makeTable(pageSummaryColumns(evaluation), rows),
    waiting: makeTable(waitingColumns(evaluation), rows),
    lengths: find('lengths')?.table ?? null,
    predictions: find('predictions')?.table ?? null,
    costs: evaluation.costs && makeTable(shownColumns(costColumns), costRows(evaluation.costs)),
    robustness: titled('robustness'),
    limits: titled('limits'),
    entities: titled('entities'),
    times: titled('times'),
    targets: find('targets')?.table,
    matrix: matrix.length === 0 ? undefined : matrix,
    load: (isLoadInTable(evaluation) ? titled('load') : null) ?? undefined,
    hosts: titled('hosts') ?? undefined,
    gpus: titled('gpus') ?? undefined,
    energy: titled('energy') ?? undefined,
  }
}

interface CostRow {
  readonly contenderId: string
  readonly usdPerAudioHour: number
  /** Null if nothing was billed. */
  readonly usd: number | null
}

/** Billed contenders first; the cost of an own machine is its energy. */
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

const { column, text } = columnsOf<CostRow>()
const costColumns = [
  text('contender', 'contenderId', { kind: 'contender' }),
  column('usd_per_audio_hour', 'usdPerAudioHour', formatDollars, 'USD an hour of audio'),
  column('spent_usd', 'usd', formatDollars, 'USD in this run'),
]

export interface PageOptions {
  /** Whether references and hypotheses are included; default true. Private speech may require false. */
  readonly hasTexts?: boolean
  /** Address of an utterance's recording, relative to the page; default none. */
  readonly audioOf?: (utterance: PlannedUtterance) => string | null
}

function pageRows(
  { utterances }: Pick<RunMaterial, 'utterances'>,
  judged: readonly UtteranceEvaluation[],
  contenders: readonly string[],
  failures: readonly string[],
  leads: ErrorLevel,
  { hasTexts = true, audioOf = () => null }: PageOptions,
): PageUtterance[] {
  const [contenderIndexes, failureIndexes] = [indexesOf(contenders), indexesOf(failures)]
  const byUtterance = Map.groupBy(judged, ({ utteranceId }) => utteranceId)
  return utterances.flatMap((utterance): PageUtterance[] => {
    const rows = byUtterance.get(utterance.id)
    if (rows === undefined) return []
    const texts = new Set(hasTexts ? rows.flatMap(({ hypothesis }) => hypothesis ?? []) : [])
    const textIndexes = indexesOf([...texts])
    const attempts = rows.map((row): PageAttempt => {
      const { hypothesis, latencyMs, [leads]: counts } = row
      return [
        contenderIndexes.get(row.contenderId) ?? 0,
        row.round,
        textIndexes.get(hypothesis) ?? null,
        failureIndexes.get(failureOfRow(row)) ?? null,
        latencyMs === null ? null : Math.round(latencyMs * 10) / 10,
        ...(counts === null ? [] : [counts.hits, counts.substitutions, counts.deletions, counts.insertions]),
      ]
    })
    // The reference comes from the evaluation, because it may be a corrected one.
    const reference = rows[0]?.reference ?? utterance.reference
    const { id, durationSeconds: seconds, speaker, language, tags } = utterance
    const shown = { reference: hasTexts ? reference : null, seconds, speaker, language, tags }
    return [{ id, ...shown, audio: audioOf(utterance), texts: [...texts], attempts }]
  })
}

function indexesOf(names: readonly string[]): ReadonlyMap<string | null, number> {
  return new Map(names.map((name, index) => [name, index]))
}

function failureOfRow({ failure, failureMessage, status }: UtteranceEvaluation): string | null {
  if (failure === null || status === 'scored') return null
  return failureMessage === null ? failure : `${failure}: ${failureMessage}`
}
