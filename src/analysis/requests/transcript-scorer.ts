import type { PlannedUtterance } from '#journal/plan-line'
import type { RunRecord } from '#journal/run-record'
import { fingerprint } from '#prelude'
import { type ExtendedProfile, extended, type NamedRules } from '#rates/scored-pair'
import type { TranscriptPart } from '#scoring/alignment/networks'
import type { LevelCounts } from '#scoring/counts'
import { parseMarkup } from '#scoring/formats/trn'
import { profileOfUtterance } from '#scoring/profiles/by-language'
import { findProfile, findRecordedProfile } from '#scoring/profiles/index'
import { normalise, type Profile } from '#scoring/profiles/profile'
import { type RememberedProfile, rememberTexts } from '#scoring/profiles/remembered-profile'
import { takenReading } from '#scoring/read-pair'
import { alignUtterance, scoreUtterance } from '#scoring/score-utterance'
import type { AlignmentStep } from '#scoring/shapes'
import type { AppliedCorrections, ScoringIdentity } from '../documents/scoring-identity.ts'
import type { RunMaterial } from './resolved-run.ts'

/** A reference with its alternative texts. */
type SpokenReference = Pick<PlannedUtterance, 'reference' | 'alternatives' | 'hasChoices'> &
  Partial<Pick<PlannedUtterance, 'language'>>

/** A scorer for one profile. Equal pairs of texts, as in repeats over rounds, are aligned once. */
export interface TranscriptScorer {
  readonly profile: Pick<Profile, 'id' | 'fingerprint' | 'leads'>
  /** The profile itself, for analyses beyond counts. It remembers normalised texts. */
  readonly rules: Profile
  readonly remembered: RememberedProfile
  /** Scores with the reading of the reference that fits the hypothesis best. */
  score(spoken: SpokenReference, hypothesis: string): LevelCounts
  /** Returns the reading of the reference that was scored, as written. */
  reading(spoken: SpokenReference, hypothesis: string): string
  /** Whether two references are equal after normalisation. */
  isSame(a: SpokenReference, b: SpokenReference): boolean
  /** Whether normalisation removes all text of a reference. */
  empties(spoken: SpokenReference): boolean
  /** @param profile another profile than the scorer's own */
  align(spoken: SpokenReference, hypothesis: string, profile?: Profile): readonly AlignmentStep[]
}

/** Counts of one hypothesis, which is usually compared with one reference. */
interface CountedHypothesis {
  readonly key: string
  readonly score: LevelCounts
  /** Counts by key of further references. */
  others: Map<string, LevelCounts> | null
}

export function transcriptScorer(published: Profile): TranscriptScorer {
  const remembered = rememberTexts(published)
  const { profile } = remembered
  const counted = new Map<string, CountedHypothesis>()
  const score = (spoken: SpokenReference, hypothesis: string): LevelCounts => {
    const key = profile.ofLanguage === undefined ? makeKey(spoken) : `${spoken.language} ${makeKey(spoken)}`
    const entry = counted.get(hypothesis)
    const before = entry?.key === key ? entry.score : entry?.others?.get(key)
    if (before !== undefined) return before
    const { words, characters } = scoreUtterance(findUtterance(spoken, hypothesis), { profile })
    if (words === null || characters === null) throw new TypeError('an answer was not counted')
    const counts = { words, characters }
    if (entry === undefined) counted.set(hypothesis, { key, score: counts, others: null })
    else {
      entry.others ??= new Map()
      entry.others.set(key, counts)
    }
    return counts
  }
  return {
    profile: { id: published.id, fingerprint: published.fingerprint, leads: published.leads },
    rules: profile,
    remembered,
    score,
    reading: (spoken, hypothesis) =>
      isOneText(spoken) ? spoken.reference : takenReading(findUtterance(spoken, hypothesis), { profile }),
    isSame(a, b) {
      const [ours, theirs] = [acceptedTexts(a), acceptedTexts(b)]
      const utteranceProfile = profileOfUtterance(profile, a.language)
      const normalised = (text = ''): string => normalise(text, utteranceProfile)
      return (
        ours.length === theirs.length &&
        ours.every((text, index) => text === theirs[index] || normalised(text) === normalised(theirs[index]))
      )
    },
    empties: (spoken) =>
      acceptedTexts(spoken).some((text) => text.trim() !== '') &&
      acceptedTexts(spoken).every(
        (text) => normalise(text, profileOfUtterance(profile, spoken.language)).trim() === '',
      ),
    align: (spoken, hypothesis, other = profile) =>
      alignUtterance(findUtterance(spoken, hypothesis), { profile: other }).steps,
  }
}

function acceptedTexts({ reference, alternatives = [] }: SpokenReference): readonly string[] {
  return [reference, ...alternatives]
}

function isOneText({ alternatives = [], hasChoices = false }: SpokenReference): boolean {
  return alternatives.length === 0 && !hasChoices
}

/** Returns the reference itself as a key, or a longer one if it has several texts. */
function makeKey(spoken: SpokenReference): string {
  return isOneText(spoken)
    ? spoken.reference
    : JSON.stringify([spoken.hasChoices ?? false, ...acceptedTexts(spoken)])
}

function findUtterance(spoken: SpokenReference, hypothesis: string): Parameters<typeof scoreUtterance>[0] {
  return { id: '', reference: findReference(spoken), hypothesis, language: spoken.language ?? null }
}

function findReference(spoken: SpokenReference): string | readonly string[] | readonly TranscriptPart[] {
  if (spoken.hasChoices !== true) return acceptedTexts(spoken)
  const branches = acceptedTexts(spoken).map((text): readonly TranscriptPart[] => {
    const parsed = parseMarkup(text)
    // Invalid markup was rejected with the corpus, so other text counts as written.
    return parsed.ok ? parsed.parts : [{ kind: 'words', words: text.split(/\s+/u) }]
  })
  const [only = []] = branches
  return branches.length === 1 ? only : [{ kind: 'alternatives', branches }]
}

/** One correction of a reference, as the corpus module reads it. */
interface CorrectedText {
  readonly utteranceId: string
  /** The text that was corrected. */
  readonly before: string
  readonly after: string
}

export interface Corrections {
  readonly source: string
  readonly fingerprint: string
  readonly lines: readonly CorrectedText[]
}

const listedIds = 100

/**
 * A correction applies if its text is the run's reference, one of its alternatives, or the result of an earlier
 * correction; the last applicable one wins. So corrections of the same text by two people both apply, but not a
 * correction of a text that the manifest has replaced. A corrected reference is one text, without alternatives and
 * choices. A correction of an alternative into the reference leaves the reference alone, and one that is taken back
 * leaves everything as it was.
 */
export function correctReferences<Run extends Pick<RunMaterial, 'utterances'>>(
  run: Run,
  corrections: Corrections | null,
): { readonly material: Run; readonly applied: AppliedCorrections | null } {
  if (corrections === null) return { material: run, applied: null }
  const acceptedById = new Map(
    run.utterances.map(({ id, reference, alternatives = [] }) => [id, new Set([reference, ...alternatives])]),
  )
  const corrected = new Map<string, string>()
  const rejectedAlternatives = new Set<string>()
  const alternativesById = new Map(run.utterances.map(({ id, alternatives = [] }) => [id, alternatives]))
  const stale: string[] = []
  for (const { utteranceId, before, after } of corrections.lines) {
    const texts = acceptedById.get(utteranceId)
    if (texts?.has(before) !== true) {
      stale.push(utteranceId)
      continue
    }
    texts.add(after)
    corrected.set(utteranceId, after)
    if (alternativesById.get(utteranceId)?.includes(before) === true) rejectedAlternatives.add(utteranceId)
  }
  const utterances = run.utterances.map((utterance) => {
    const after = corrected.get(utterance.id)
    if (after === undefined) return utterance
    const { alternatives: _alternatives, ...alone } = utterance
    if (after === utterance.reference) return rejectedAlternatives.has(utterance.id) ? alone : utterance
    const { hasChoices: _hasChoices, ...rest } = alone
    return { ...rest, reference: after }
  })
  const changed = utterances.filter((utterance, index) => utterance !== run.utterances[index])
  const { source, fingerprint } = corrections
  return {
    material: { ...run, utterances },
    applied: {
      source,
      fingerprint,
      correctedIds: changed.map(({ id }) => id),
      staleCount: stale.length,
      staleIds: [...new Set(stale)].slice(0, listedIds),
    },
  }
}

export interface ScoringChoice {
  /** Id of a published profile; default: the run's own, with the run's own rules. */
  readonly profile?: string | undefined
  /** Rules that are added to the profile, in this order. */
  readonly rules?: readonly NamedRules[] | undefined
}

/**
 * Returns the profile for scoring a run. The rules of a run's config belong to its own profile. Another profile is
 * used as published, plus the rules that are named with it.
 *
 * @throws BenchError SCORING_PROFILE_UNKNOWN
 */
export function chooseScoring(record: RunRecord, { profile, rules }: ScoringChoice): ExtendedProfile {
  const recordedRules = record.scoringRules === undefined ? [] : [{ name: 'own', rules: record.scoringRules }]
  const added = [...(profile === undefined ? recordedRules : []), ...(rules ?? [])]
  return extended(
    profile === undefined ? findRecordedProfile(record.scoringProfile) : findProfile(profile),
    added,
  )
}

export function scoringIdentity(
  { profile, rules }: TranscriptScorer,
  identity: Pick<ScoringIdentity, 'corrections' | 'noSpeech'> & {
    readonly vocabulary: readonly string[] | null
  },
): ScoringIdentity {
  const { corrections, vocabulary, noSpeech } = identity
  const words =
    vocabulary === null ? null : { fingerprint: fingerprint(vocabulary), keywordCount: vocabulary.length }
  const parts = {
    profile: profile.fingerprint,
    alignment: 'canonical',
    characterRule: rules.characters,
    corrections: corrections?.fingerprint ?? null,
    vocabulary: words?.fingerprint ?? null,
    noSpeech,
  } as const
  return {
    fingerprint: fingerprint(parts),
    characterRule: parts.characterRule,
    corrections,
    vocabulary: words,
    noSpeech,
  }
}
