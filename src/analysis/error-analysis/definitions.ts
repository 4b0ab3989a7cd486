import { type PathologyKind, pathologyRules } from '#scoring/error-analysis/pathologies'
import { nameRule } from '#scoring/error-analysis/word-classes'

/** What one figure of the error analysis means: `explain` and the documentation use it. */
export interface ErrorAnalysisDefinition {
  readonly name: string
  /** What else it is called. */
  readonly aliases?: readonly string[]
  readonly formula: string
  readonly source: string
  /** How to read it, and what it does not say. */
  readonly reading: string
}

const morris = 'Morris, Maier and Green 2004, "From WER and RIL to MER and WIL", Interspeech'

const figures: Readonly<Record<string, ErrorAnalysisDefinition>> = {
  mer: {
    name: 'match error rate',
    formula: '(S + D + I) / (H + S + D + I)',
    source: morris,
    reading:
      'Share of aligned positions that are wrong; never over 100%. It depends on how ties between alignments are resolved.',
  },
  wil: {
    name: 'word information lost',
    aliases: ['wip'],
    formula: '1 - (H / N) · (H / P), with N words said and P recognised',
    source: morris,
    reading:
      'How much of what was said does not get through. Its complement is word information preserved (WIP).',
  },
  confusions: {
    name: 'confusions',
    formula:
      'substitutions, deletions and insertions by their words, and runs of errors between two hits as phrases',
    source: 'counted over all rounds, from the canonical alignment',
    reading:
      'What is mistaken again and again. Words of names and trades that lead here belong in a vocabulary.',
  },
  robustness: {
    name: 'robustness',
    aliases: ['limits', 'snr'],
    formula:
      'errors / words at each value of a ladder; a limit is crossed between the first two neighbours, from the easiest value on, of ' +
      'which the second exceeds it, by linear interpolation',
    source:
      'intervals resample recordings or speakers, each with all of its versions: percentile bootstrap of 2,000 replicates ' +
      '(Efron and Tibshirani 1993, 13.3)',
    reading:
      'How much noise, reverberation or compression a contender takes before its error rate exceeds a limit. transcribench corpus ' +
      'derive --ladder makes such a corpus.',
  },
  groups: {
    name: 'breakdowns',
    aliases: ['breakdowns'],
    formula: 'sums of errors / sums of words, by speaker, tag, language, source and length',
    source: 'ratio of sums, with the interval of a cluster bootstrap of 2,000 replicates',
    reading:
      'Groups under 20 utterances are flagged and not to be ranked. An utterance with two tags is in two groups.',
  },
  keywords: {
    name: 'recall and precision of keywords',
    formula:
      'recall = found / (found + missed); precision = found / (found + invented); F1 their harmonic mean',
    source: 'found where all words of a keyword are hits in a row, without an insertion between them',
    reading:
      'Whether the words that matter get through. Asked for by scoring.vocabulary, transcribench score --vocabulary, and the ' +
      'keywords of utterances in a manifest: those count as said where their utterance has them, and as invented ' +
      'wherever they are heard without being said.',
  },
  entities: {
    name: 'entities by type',
    formula:
      'recall = found / (found + missed); missed rate = missed / (found + missed); precision = found / (found + invented)',
    source: 'found where all words of an entity are hits in a row, without an insertion between them',
    reading:
      'Whether names, numbers, addresses, dates, drugs and places get through: one wrong digit of a phone number is one missed ' +
      'entity. Asked for by the entities of utterances in a manifest.',
  },
  times: {
    name: 'times of words',
    aliases: ['timestamps'],
    formula:
      'start error = sum of |start recognised - start spoken| / words, end error likewise; within 200 ms: words whose start and end ' +
      'both differ by 200 ms at most / words that are compared',
    source:
      'over the words that the alignment matches and that have a time on both sides, in every answer; 200 ms as in Bain et al. 2023, ' +
      'arXiv:2303.00747; intervals by cluster bootstrap of 2,000 replicates',
    reading:
      'Asked for by the times of utterances in a manifest; only then does a run request times, which can make answers slower. A ' +
      'segment has the start of its first word and the end of its last. A word that is said twice in a row may be matched ' +
      'with the other one.',
  },
  numbers: {
    name: 'numbers by value',
    formula:
      '(wrong + missing) / numbers said, the values of figures compared after spoken numbers became figures',
    source: 'the profile english, whatever the run is scored by; English only',
    reading: '"$5" for "5 dollars" is written otherwise and no error; 50 for 15 is one.',
  },
  names: {
    name: 'proper names',
    formula: `names that were not recognised / names said; their capitals do not count. ${nameRule.replace(/\.$/u, '')}`,
    source:
      'a rule of ours over the references as they are written, the same in every language with capitals',
    reading:
      'Not given in German and its dialects, where every noun has a capital, nor where references have none. Acronyms are ' +
      'among the names; a name that begins a sentence is not.',
  },
  punctuation: {
    name: 'punctuation error rate',
    formula: '(S + D + I) / (H + S + D + I) over the marks that follow words which were recognised',
    source:
      'after Meister et al. 2023, arXiv:2310.02943; marks are compared only where the word before them is right',
    reading:
      'An error in a word is never one in its comma. Not given where references are written without marks.',
  },
  capitals: {
    name: 'capitalisation error rate',
    formula: 'words with other capitals / words that were recognised and have letters with capitals',
    source: 'sentence starts and other words counted apart',
    reading: 'Not given where references are written in one case.',
  },
  ladder: {
    name: 'ladder of writing',
    formula: 'the word error rate as written, then without capitals, punctuation, number words, spellings',
    source:
      'profiles verbatim, lower case, basic, then that of the language of each utterance without and with its spellings',
    reading:
      'How much of the errors is a matter of writing. A language without rules stays at the third step. Languages whose character rate ' +
      'leads are not counted: their texts do not show their words.',
  },
  repeats: {
    name: 'flakiness',
    aliases: ['flakiness'],
    formula: 'utterances whose answers differ after normalisation / utterances answered at least twice',
    source: "Wilson's interval; next to it the word error rate of each answer against each later one",
    reading:
      'Needs no reference and at least two rounds. Where answers differ without a change, a small change is not detectable.',
  },
  silence: {
    name: 'answers where nothing is said',
    formula:
      'answers with words / answers, over references without words; inserted words per minute of audio',
    source: 'a separate table; the insertions also count in the word error rate',
    reading: 'An answer that says "no speech" is right here.',
  },
  references: {
    name: 'audit of references',
    aliases: ['audit'],
    formula: 'references that at least two contenders contradict, all in the same words',
    source: 'also: contenders that 90% of ten or more references of five words repeat letter for letter',
    reading: 'Listen to them: often it is the reference that is wrong.',
  },
}

const pathologyNames: Readonly<Record<PathologyKind, string>> = {
  hallucination: 'hallucination',
  loop: 'repetition loop',
  emptyOutput: 'empty output',
  missingStart: 'missing start',
  missingMiddle: 'missing middle',
  missingEnd: 'missing end',
  wrongScript: 'wrong script',
}

/** Every figure of the error analysis, and every kind of degenerate output, by its id. */
export const errorAnalysisDefinitions: Readonly<Record<string, ErrorAnalysisDefinition>> = {
  ...figures,
  ...Object.fromEntries(
    Object.entries(pathologyRules).map(([kind, rule]) => [
      kind,
      {
        name: pathologyNames[kind as PathologyKind],
        formula: `utterances with such an answer / utterances with an answer. The rule: ${rule.replace(/\.$/u, '')}`,
        source: "a rule of ours; Wilson's interval over utterances",
        reading: 'A detector, not a proof: listen to the examples. For its error rate, see docs/metrics.md.',
      },
    ]),
  ),
}
