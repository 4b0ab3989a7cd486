import { addCounts, errorRate, type NumberFindings, noErrors, timesCounts, type WordClass } from '#scoring'
import type { ClassAnalysis, NumberAnalysis } from '../documents/error-analysis/formatting.ts'
import type { Explained } from '../documents/error-analysis/rates.ts'
import type { AnswerTally } from './answer-tally.ts'
import { type IntervalOptions, pooledRate, type RateTerm } from './counted-rate.ts'

const classes: readonly WordClass[] = ['number', 'money', 'percent', 'ordinal', 'date']

/** Numbers of the answers that are English. */
export function startNumbers(options: IntervalOptions): AnswerTally<Explained<NumberAnalysis>> {
  const sum = { right: 0, formatOnly: 0, wrong: 0, missing: 0, invented: 0 }
  const byClass = new Map(classes.map((each) => [each, noErrors]))
  const terms: RateTerm[] = []
  let isHeard = false
  return {
    add({ utterance, times }, { figures }) {
      if (figures === null) return
      isHeard = true
      const { numbers: found, classes: counts } = figures
      for (const kind of Object.keys(sum) as (keyof NumberFindings)[]) sum[kind] += found[kind] * times
      for (const each of classes) {
        byClass.set(each, addCounts(byClass.get(each) ?? noErrors, timesCounts(counts[each], times)))
      }
      const errors = found.wrong + found.missing
      const said = found.right + found.formatOnly + errors
      terms.push({ utterance, numerator: errors * times, denominator: said * times })
    },
    result() {
      if (!isHeard) return { reason: 'spoken numbers are only known in English', rate: null }
      const isSilent = [...byClass.values()].every((counts) => Object.values(counts).every((n) => n === 0))
      if (isSilent) return { reason: 'no number, sum or date was said or recognised', rate: null }
      const analysis = (each: WordClass): ClassAnalysis => {
        const counts = byClass.get(each) ?? noErrors
        return { counts, rate: errorRate(counts) }
      }
      return {
        ...sum,
        reason: null,
        rate: pooledRate(terms, options),
        classes: {
          number: analysis('number'),
          money: analysis('money'),
          percent: analysis('percent'),
          ordinal: analysis('ordinal'),
          date: analysis('date'),
        },
      }
    },
  }
}
