import type { ContenderEvaluation, Evaluation } from '#analysis'
import { sumOf } from '#prelude'
import { defaultProfile } from '#scoring'
import { rateWords } from '../layout/rate-words.ts'
import { foreign } from '../layout/terminal.ts'
import { counted, formatCount, formatDollars } from '../layout/units.ts'
import { sentFact } from './details/load-details.ts'
import { utterancesOf, writtenWords } from './words/corpus-words.ts'

/** What does not differ between contenders, and so needs no column. */
export function sharedFacts(evaluation: Evaluation): string {
  const { contenders, load, profile, scoring, corpus, rounds } = evaluation
  const { unit } = rateWords[profile.leads]
  const facts = [
    ...answeredFact(contenders, { rounds, utteranceCount: corpus.utteranceCount }),
    ...(contenders.every(({ counts }) => counts.failed === 0) ? ['none failed'] : []),
    ...shared(contenders.map((contender) => contender[profile.leads].referenceLength)).map((length) =>
      rounds > 1 && length % rounds === 0
        ? `${counted(length / rounds, unit)} × ${rounds} rounds`
        : counted(length, unit),
    ),
    ...spentFact(contenders),
    corpus.sampledFrom == null
      ? `corpus ${foreign(corpus.name)}`
      : `a sample of ${foreign(corpus.name)}, ${utterancesOf(corpus)}`,
    `${foreign(`${profile.id}, score ${scoring.fingerprint.slice(0, 8)}`)}${readAs(evaluation)}`,
    ...correctedFact(evaluation),
    load.description,
    ...shared(contenders.map((contender) => sentFact(contender).join())).filter((fact) => fact !== ''),
  ]
  return facts.join(' · ')
}

/** References that were corrected after the run, or in its corpus before it was scored. */
function correctedFact({ scoring: { corrections } }: Evaluation): readonly string[] {
  if (corrections === null || corrections.correctedIds.length === 0) return []
  return [`${counted(corrections.correctedIds.length, 'corrected reference')}`]
}

/** Where the profile comes from what the references read as, that, with what sets another one. */
function readAs({ corpus: { writtenLanguage }, profile }: Evaluation): string {
  if (writtenLanguage === undefined || defaultProfile(writtenLanguage).id !== profile.id) return ''
  return ` (${writtenWords(writtenLanguage)})`
}

/** What the run cost by the prices of its config, warm-up and repeats included. */
function spentFact(contenders: readonly ContenderEvaluation[]): readonly string[] {
  const priced = contenders.flatMap(({ cost }) => (cost === null ? [] : [cost.usd]))
  const usd = sumOf(priced, (one) => one)
  return priced.length === 0 ? [] : [`${formatDollars(usd)} USD spent`]
}

function answeredFact(
  contenders: readonly ContenderEvaluation[],
  { rounds, utteranceCount }: { readonly rounds: number; readonly utteranceCount: number },
): readonly string[] {
  const isOncePerUtterance = contenders.every(({ counts }) => counts.planned === utteranceCount)
  // A load that ends by itself may end within a pass over the corpus.
  const isWhole = contenders.every(({ counts }) => counts.planned === rounds * utteranceCount)
  const what =
    rounds > 1 && isWhole ? `requests in ${rounds} rounds` : isOncePerUtterance ? 'utterances' : 'requests'
  return shared(
    contenders.map(
      ({ counts }) =>
        `${formatCount(counts.answered)} of ${formatCount(counts.planned)} ${what} answered and scored`,
    ),
  )
}

/** The value that all have, or nothing. */
function shared<Value>(values: readonly Value[]): readonly Value[] {
  const distinct = [...new Set(values)]
  return distinct.length === 1 ? distinct : []
}
