import type { Comparison, ThresholdResult, Verdict } from '#analysis'
import { comparisonRows } from './comparison-rows.ts'
import { foreign } from './terminal.ts'
import { brokenThresholds, openThresholds } from './thresholds.ts'

/** What a comparison comes to, the gravest first. */
export interface ComparisonAnswer {
  readonly state: 'invalid' | 'failed' | 'worse' | 'better' | 'equivalent' | 'unresolved'
  /** One sentence, without a line break. */
  readonly sentence: string
}

/**
 * A comparison in a sentence: thresholds that failed or are open before verdicts, what got worse before what got better, and never
 * a winner inside the noise.
 */
export function comparisonAnswer(
  comparison: Comparison,
  thresholds: readonly ThresholdResult[],
): ComparisonAnswer {
  const broken = brokenThresholds(thresholds)
  if (comparison.findings.some(({ severity }) => severity === 'invalid')) {
    return { state: 'invalid', sentence: 'One of the runs is not valid by itself, so this decides nothing.' }
  }
  const told = (verdict: Verdict): string => namesWith(comparison, verdict).join(', ')
  const [worse, better, equivalent] = [told('worse'), told('better'), told('equivalent')]
  const parts = [
    worse === '' ? [] : [`worse: ${worse}`],
    better === '' ? [] : [`better: ${better}`],
    equivalent === '' ? [] : [`equivalent: ${equivalent}`],
  ].flat()
  const verdicts = parts.length === 0 ? 'nothing is told from chance' : parts.join('; ')
  const open = openThresholds(thresholds)
  const held = [broken, open].filter((text) => text !== null)
  if (broken !== null) return { state: 'failed', sentence: `${held.join('; ')}; ${verdicts}.` }
  // What got worse is no less so; but nothing is called good while a limit may be broken.
  if (open !== null) {
    return { state: worse === '' ? 'unresolved' : 'worse', sentence: `${open}; ${verdicts}.` }
  }
  const state =
    worse !== '' ? 'worse' : better !== '' ? 'better' : equivalent !== '' ? 'equivalent' : 'unresolved'
  return { state, sentence: `${verdicts.charAt(0).toUpperCase()}${verdicts.slice(1)}.` }
}

/** `WER of tiny`, where there are several contenders. */
function namesWith({ contenders }: Comparison, verdict: Verdict): readonly string[] {
  return contenders.flatMap((contender) =>
    comparisonRows(contender)
      .filter((row) => row.verdictOf === verdict)
      .map(({ name }) => (contenders.length > 1 ? `${name} of ${foreign(contender.runContenderId)}` : name)),
  )
}
