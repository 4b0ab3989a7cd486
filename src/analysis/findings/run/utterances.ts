import { counted, shellList, shellWord } from '#prelude'
import { rateMetrics, referenceLength } from '#scoring/counts'
import { profileOfUtterance } from '#scoring/profiles/by-language'
import type { Bounds } from '#statistics/bounds'
import type { ContenderEvaluation } from '../../documents/contender-evaluation.ts'
import { roundedUp } from '../../figures/ranking/required-utterances.ts'
import { listUtterances } from '../../requests/resolved-run.ts'
import type { Observation } from '../finding-definition.ts'
import { type RunFacts, runFinding, type UtteranceTally } from '../run-facts.ts'
import { named } from '../wording.ts'

/** Difference in error rate that users ask about; a corpus that cannot resolve it gets the finding. */
const wantedResolution = 0.01

export const fewUtterances = runFinding('FEW_UTTERANCES', 'warning', (facts) => {
  const { leads } = facts.scorer.profile
  const largest = largestContender(facts)
  if (largest === null) return []
  const { utteranceCount, scoredCount, [leads]: errors } = largest
  // Repeats in later rounds do not add to the length.
  const length = (errors.referenceLength * utteranceCount) / scoredCount
  // Without errors there is no interval, and only the rule of three applies.
  const noWidth = utteranceCount > 1 && errors.rate === 0 ? { low: 0, high: 0 } : null
  const { difference } = facts
  const compared = leads === 'words' ? difference?.wordErrorRate : difference?.characterErrorRate
  const resolvable = resolvableDifference(compared?.interval ?? errors.interval ?? noWidth, length)
  if (resolvable !== null && resolvable <= wantedResolution) return []
  const what = resolvable === null ? 'no difference' : `a difference of about ${points(resolvable)}, not less`
  return {
    message: `${counted(utteranceCount, 'utterance')} can resolve ${what}`,
    advice: largerThan(utteranceCount, resolvable, facts.material.record.corpus.name),
  }
})

/** Suggests the larger built-in corpus for the small one; any other corpus has its own question. */
function largerThan(utteranceCount: number, resolvable: number | null, corpusName: string): string {
  if (corpusName === 'quick')
    return 'use a larger corpus: transcribench corpus fetch prompts, then --corpus prompts'
  // An interval narrows with the square root of the number of utterances.
  const needed = resolvable === null ? null : utteranceCount * (resolvable / wantedResolution) ** 2
  const count = needed === null || needed > 1e6 ? '' : `: about ${roundedUp(needed)} resolve 1 point`
  return `add recordings of the same kind to ${corpusName}${count}`
}

/** Returns half the width of the interval, but at least 3 errors in the available words (rule of three). */
function resolvableDifference(interval: Bounds | null, wordCount: number): number | null {
  if (interval === null || wordCount === 0) return null
  return Math.max((interval.high - interval.low) / 2, 3 / wordCount)
}

function points(rate: number): string {
  const value = rate * 100
  const rounded = value >= 2 ? Math.round(value) : Number(value.toFixed(1))
  return counted(rounded, 'percentage point')
}

const enoughSpeakers = 20

export const fewSpeakers = runFinding('FEW_SPEAKERS', 'warning', (facts) => {
  const speakerCount = largestContender(facts)?.speakerCount ?? null
  if (speakerCount === null || speakerCount < 2 || speakerCount >= enoughSpeakers) return []
  // Without errors, no interval is shown that could be too narrow.
  if (facts.contenders.every(({ words, characters }) => (words.interval ?? characters.interval) === null))
    return []
  return {
    message: `the recordings are of ${speakerCount} speakers: intervals based on so few may be too narrow`,
  }
})

export const mixedLanguages = runFinding('MIXED_LANGUAGES', 'note', ({ scorer, resolved }) => {
  if (scorer.rules.ofLanguage === undefined) return []
  const languages = new Set(
    resolved.contenders.flatMap((contender) => listUtterances(contender).map(({ language }) => language)),
  )
  if (languages.size < 2) return []
  const names = [...languages].map((language) => {
    const { id } = profileOfUtterance(scorer.rules, language)
    return `${language ?? 'unknown'} (${id})`
  })
  return {
    message: `the error rates of the whole corpus add up ${languages.size} languages: ${names.sort().join(', ')}`,
    advice: 'compare the rates by language',
  }
})

export const referenceEmptied = runFinding('REFERENCE_EMPTIED', 'warning', (facts) => {
  const ids = emptiedIds(facts)
  if (ids.length === 0) return []
  return {
    message: `${facts.scorer.profile.id} leaves no words of the reference of ${counted(ids.length, 'utterance')}: ${named(ids)}`,
    advice: `leave them out with --exclude ${shellList(ids.slice(0, 10))}`,
  }
})

function emptiedIds({ scorer, scored, material: { utterances } }: RunFacts): readonly string[] {
  /** 1 for a measured utterance, 2 for one whose reference is known to have words. */
  const states = new Uint8Array(utterances.length)
  for (const { requests } of scored) {
    for (const { resolved, score } of requests) {
      const { utteranceIndex } = resolved
      const holdsWords = score !== null && referenceLength(score.words) > 0
      states[utteranceIndex] = Math.max(states[utteranceIndex] as number, holdsWords ? 2 : 1)
    }
  }
  return utterances
    .filter((utterance, index) => states[index] === 1 && scorer.empties(utterance))
    .map(({ id }) => id)
}

/** One such utterance can dominate the error rate of a small corpus. */
export const utteranceOver100 = runFinding(
  'UTTERANCE_OVER_100',
  'warning',
  ({ utteranceTallies, crossedAnswers }) =>
    utteranceTallies.flatMap(({ contenderId, leads, overfullIds }) => {
      const crossed = crossedAnswers.get(contenderId)?.utteranceIds ?? []
      const ids = [...overfullIds].filter((id) => !crossed.includes(id))
      if (ids.length === 0) return []
      return {
        message: `${contenderId} has more errors than ${leads} in ${counted(ids.length, 'utterance')}: ${named(ids)}`,
        advice: 'listen to them: an engine that invents text, or a reference of another recording',
        utteranceIds: ids,
      }
    }),
)

/** Returns the contender with the longest scored references, which represents the corpus; null without a rate. */
function largestContender({ contenders, scorer }: RunFacts): ContenderEvaluation | null {
  const { leads } = scorer.profile
  const largest = contenders.reduce<ContenderEvaluation | null>(
    (most, one) => (most === null || one[leads].referenceLength > most[leads].referenceLength ? one : most),
    null,
  )
  return largest === null || largest[leads].rate === null ? null : largest
}

/** Min number of errors per pass; fewer may be in one utterance by chance, however many passes there are. */
const fewErrors = 10
/** Min number of utterances; with fewer, one always has most of the errors. */
const fewToDominate = 3

export const utteranceDominates = runFinding(
  'UTTERANCE_DOMINATES',
  'decisive',
  ({ utteranceTallies, material: { record } }) =>
    utteranceTallies.flatMap((tally) => dominantUtterance(tally, record.id)),
)

/** Finds the utterance with more than half of a contender's errors, and the error rate without it. */
function dominantUtterance(
  { contenderId, leads, idAt, errors, lengths, passes }: UtteranceTally,
  runId: string,
): Observation | readonly [] {
  const sum = (counts: Float64Array): number => counts.reduce((total, count) => total + count, 0)
  const [errorsOfAll, lengthOfAll] = [sum(errors), sum(lengths)]
  const worst = errors.reduce((best, count, index) => (count > (errors[best] as number) ? index : best), 0)
  const [worstErrors, worstLength] = [errors[worst] ?? 0, lengths[worst] ?? 0]
  const utteranceCount = lengths.filter((count) => count > 0).length
  if (utteranceCount < fewToDominate || errorsOfAll < fewErrors * passes) return []
  if (worstErrors <= errorsOfAll / 2) return []
  const id = idAt(worst)
  const withIt = errorsOfAll / lengthOfAll
  const without = (errorsOfAll - worstErrors) / (lengthOfAll - worstLength)
  return {
    message:
      `one utterance holds most errors of ${contenderId}: ${id} has ${worstErrors} of ${errorsOfAll} ` +
      `(${percent(worstErrors / errorsOfAll, 0)}), in ${percent(worstLength / lengthOfAll, 0)} of the ${leads}; the ${rateMetrics[leads].toUpperCase()} is ` +
      `${percent(withIt, 1)} with it and ${percent(without, 1)} without it`,
    advice: `listen to it: transcribench review ${shellWord(runId)}`,
    utteranceIds: [id],
  }
}

function percent(rate: number, decimals: number): string {
  return `${(rate * 100).toFixed(decimals)}%`
}
