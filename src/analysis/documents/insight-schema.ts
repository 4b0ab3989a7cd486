import { z } from 'zod'
import { noSpeechRule } from '#contract'
import { errorRateSchema, intervalSchema } from '#rates'
import { errorCountsSchema, type PathologyKind, pathologyRules } from '#scoring'
import type { ScoringIdentity } from './evaluation.ts'
import type {
  AuditInsight,
  Breakdown,
  ConfusionTable,
  ContenderInsight,
  CountedRate,
  FlakinessInsight,
  KeywordInsight,
  NameInsight,
  NumberInsight,
  PathologyInsight,
  SilenceInsight,
} from './insight.ts'

const text = z.string()
const nullableText = z.string().nullable()
const count = z.int().min(0)
const share = z.number().min(0).max(1)
const nullableNumber = z.number().nullable()

const errorCounts = errorCountsSchema

const countedRateFields = {
  rate: nullableNumber,
  numerator: count,
  denominator: count,
  interval: intervalSchema.nullable(),
  noIntervalReason: nullableText,
}
const countedRate: z.ZodType<CountedRate> = z.strictObject(countedRateFields)
const unexplained = z.strictObject({ reason: text, rate: z.null() })

const confusion = z.strictObject({
  reference: nullableText,
  hypothesis: nullableText,
  count,
  utteranceIds: z.array(text),
})
const confusionTable: z.ZodType<ConfusionTable> = z.strictObject({
  limit: count,
  distinct: z.strictObject({ substitutions: count, deletions: count, insertions: count }),
  substitutions: z.array(confusion),
  deletions: z.array(confusion),
  insertions: z.array(confusion),
})

const breakdown: z.ZodType<Breakdown> = z.strictObject({
  by: z.enum(['speaker', 'tag', 'language', 'source', 'duration']),
  groupCount: count,
  groups: z.array(
    z.strictObject({
      name: nullableText,
      utteranceCount: count,
      speakerCount: count.nullable(),
      askedCount: count,
      scoredCount: count,
      words: errorRateSchema,
      characters: errorCounts,
      characterErrorRate: nullableNumber,
      sentenceErrorRate: share.nullable(),
      isSmall: z.boolean(),
    }),
  ),
})

const keywords: z.ZodType<KeywordInsight> = z.strictObject({
  recall: countedRate,
  precision: countedRate,
  f1: share.nullable(),
  keywords: z.array(z.strictObject({ keyword: text, found: count, missed: count, invented: count })),
  keywordCount: count,
})

const classInsight = z.strictObject({ counts: errorCounts, rate: nullableNumber })
const numbers: z.ZodType<NumberInsight & { readonly reason: null }> = z.strictObject({
  reason: z.null(),
  rate: countedRate,
  right: count,
  formatOnly: count,
  wrong: count,
  missing: count,
  invented: count,
  classes: z.strictObject({
    number: classInsight,
    money: classInsight,
    percent: classInsight,
    ordinal: classInsight,
    date: classInsight,
  }),
})

const names: z.ZodType<NameInsight & { readonly reason: null }> = z.strictObject({
  reason: z.null(),
  rate: countedRate,
  counts: errorCounts,
  nameCount: count,
  names: z.array(z.strictObject({ name: text, said: count, wrong: count })),
})

const punctuation = z.strictObject({
  reason: z.null(),
  rate: countedRate,
  marks: z.array(
    z.strictObject({
      mark: text,
      counts: errorCounts,
      precision: share.nullable(),
      recall: share.nullable(),
    }),
  ),
})

const caseCounts = z.strictObject({ compared: count, wrong: count })
const capitals = z.strictObject({
  reason: z.null(),
  rate: countedRate,
  sentenceStarts: caseCounts,
  otherWords: caseCounts,
})

const rungs = ['as written', 'capitals', 'punctuation', 'numbers and contractions', 'spellings'] as const

const pathology: z.ZodType<PathologyInsight> = z.strictObject({
  kind: z.enum(Object.keys(pathologyRules) as [PathologyKind, ...PathologyKind[]]),
  rule: text,
  rate: countedRate,
  answerCount: count,
  examples: z.array(
    z.strictObject({
      utteranceId: text,
      requestIndex: count,
      round: count,
      answerCount: count,
      size: count,
      detail: text,
    }),
  ),
})

const flakiness: z.ZodType<FlakinessInsight> = z.strictObject({
  rate: countedRate,
  betweenRepeats: errorCounts,
  betweenRepeatsRate: nullableNumber,
  unstableIds: z.array(text),
})

const silence: z.ZodType<SilenceInsight> = z.strictObject({
  utteranceCount: count,
  answeredWithWords: countedRate,
  insertedWords: count,
  audioSeconds: z.number(),
  insertedWordsPerMinute: nullableNumber,
  examples: z.array(
    z.strictObject({
      utteranceId: text,
      audioSeconds: z.number(),
      answerCount: count,
      answeredWithWordsCount: count,
      insertedWords: count,
      hypothesis: text,
    }),
  ),
})

export const insightSchema: z.ZodType<ContenderInsight> = z.strictObject({
  contenderId: text,
  rates: z.strictObject({
    matchErrorRate: countedRate,
    sentenceErrorRate: countedRate,
    wordInformationPreserved: nullableNumber,
    wordInformationLost: nullableNumber,
  }),
  confusions: z.strictObject({ words: confusionTable, phrases: confusionTable }),
  breakdowns: z.array(breakdown),
  keywords: keywords.nullable(),
  numbers: z.union([numbers, unexplained]),
  names: z.union([names, unexplained]),
  punctuation: z.union([punctuation, unexplained]),
  capitals: z.union([capitals, unexplained]),
  formattedWords: z.union([z.strictObject({ reason: z.null(), ...countedRateFields }), unexplained]),
  ladder: z.array(z.strictObject({ rung: z.enum(rungs), counts: errorCounts, rate: nullableNumber })),
  pathologies: z.array(pathology),
  flakiness: flakiness.nullable(),
  silence: silence.nullable(),
})

export const auditSchema: z.ZodType<AuditInsight> = z.strictObject({
  suspectCount: count.nullable(),
  suspects: z.array(
    z.strictObject({ id: text, reference: text, agreedText: text, contenderCount: count, errors: count }),
  ),
  selfReferences: z.array(z.strictObject({ contenderId: text, identicalCount: count, comparedCount: count })),
})

export const scoringIdentitySchema: z.ZodType<ScoringIdentity> = z.strictObject({
  fingerprint: text,
  characterRule: z.enum(['graphemes', 'no-spaces', 'code-points']),
  corrections: z
    .strictObject({
      source: text,
      fingerprint: text,
      correctedIds: z.array(text),
      staleCount: count,
      staleIds: z.array(text),
    })
    .nullable(),
  vocabulary: z.strictObject({ fingerprint: text, keywordCount: count }).nullable(),
  noSpeech: z.array(noSpeechRule),
})
