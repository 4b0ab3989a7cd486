import type { PlannedUtterance } from '#journal/plan-line'
import { countUpTo } from '#prelude'
import { errorRate, referenceLength } from '#scoring/counts'
import { profileOfUtterance } from '#scoring/profiles/by-language'
import { normalise } from '#scoring/profiles/profile'
import type { ErrorCounts } from '#scoring/shapes'
import { tokeniseCharacters, tokeniseWords } from '#scoring/tokens'
import type { TranscriptScorer } from './transcript-scorer.ts'

/** Time of a request at a server, in milliseconds of one clock. */
export interface TimedSending {
  /** Server of the request; only requests to the same server can be confused. */
  readonly server: string
  readonly utteranceId: string
  readonly sentAtMs: number
  readonly endedAtMs: number
}

export interface TimedAnswer extends TimedSending {
  readonly text: string
  readonly counts: ErrorCounts
}

/** Answers with the text of another recording that was sent at about the same time. */
export interface CrossedAnswers {
  readonly answerCount: number
  /** Recordings with such answers, in the order of the answers. */
  readonly utteranceIds: readonly string[]
  /** Max time between the sendings of a request and of the other recording, in seconds. */
  readonly withinSeconds: number
  readonly example: { readonly utteranceId: string; readonly otherId: string }
}

interface CrossedInput {
  readonly utterances: readonly PlannedUtterance[]
  /** All sent requests, answered or not. */
  readonly sendings: Iterable<TimedSending>
  readonly answers: Iterable<TimedAnswer>
  readonly scorer: TranscriptScorer
}

interface Pair {
  readonly index: number
  /** The other recording; of several with the same reference, any of them. */
  readonly otherIndex: number
  readonly text: string
  readonly answers: readonly TimedAnswer[]
}

/** An answer of a pair, with the time to the sending of the other recording; null where that was not near. */
interface Hit {
  readonly pair: Pair
  readonly answer: TimedAnswer
  readonly distanceMs: number | null
}

/** Min share, among answers with the text of another recording, of those where that recording was sent near in time. */
const leastNear = 0.8
/** Min length of a single crossed answer, of which there is no second one to confirm it. */
const shortestAlone = { words: 8, characters: 20 }

/**
 * Finds answers that belong to another recording. Each wrong text is compared with the references of the recordings
 * that have the most consecutive words in common with it, and the recording that it matches must have been sent at
 * about the same time. Short texts and texts that match two references equally are left out. Recordings with the same
 * reference, such as one sentence of several speakers or with several noises, are one candidate: any of them may have been
 * sent near in time.
 *
 * Other explanations come first: the engine invented the text, the lines of the manifest are shifted, or one file is
 * in the corpus twice, with two references. Then the two recordings may have been near in time by chance; where all
 * are near, references that are exchanged in the manifest look like confused answers.
 */
export function findCrossedAnswers(input: CrossedInput): CrossedAnswers | null {
  const { utterances, scorer } = input
  const { pairs, answerCounts } = findPairs(input)
  if (pairs.length === 0) return null
  const alike = groupAlike(utterances)
  const sent = gatherSendings(input.sendings, new Set(pairs.flatMap((pair) => alike.idsOf(pair.otherIndex))))
  const all = pairs.flatMap((pair) =>
    pair.answers.map(
      (answer): Hit => ({
        pair,
        answer,
        distanceMs: sent.distanceMs(alike.idsOf(pair.otherIndex), answer),
      }),
    ),
  )
  const invented = inventedTexts(all)
  const hits = all.filter(({ pair }) => !invented.has(pair.text))
  const near = hits.filter(({ distanceMs }) => distanceMs !== null)
  const [first] = near
  if (first === undefined || near.length < leastNear * hits.length || areShifted(hits)) return null
  const { text, otherIndex } = first.pair
  const size = splitTokens(text, utterances[otherIndex]?.language ?? null, scorer).length
  if (near.length === 1 && size < shortestAlone[scorer.profile.leads]) return null
  const alikeCount = ({ pair }: Hit): number => alike.idsOf(pair.otherIndex).length
  // A recording that has nothing to do with an answer, or one that is like it, is near in time with this probability at most.
  const chance =
    near.reduce((sum, hit) => sum + sent.nearCount(hit.answer) * alikeCount(hit), 0) /
    near.length /
    utterances.length
  const pairCounts = countPairs(hits, alike.sentenceOf)
  const isExplained =
    chance < uninformativeNearShare
      ? areNearByChance(pairCounts, near.length / hits.length, chance)
      : hits.some((hit) => alikeCount(hit) > 1) || areExchanged(hits, pairCounts, answerCounts)
  if (isExplained) return null
  return {
    answerCount: near.length,
    utteranceIds: [...new Set(near.map(({ answer }) => answer.utteranceId))],
    withinSeconds: near.reduce((most, { distanceMs }) => Math.max(most, distanceMs ?? 0), 0) / 1000,
    example: {
      utteranceId: first.answer.utteranceId,
      otherId: utterances[otherIndex]?.id ?? '',
    },
  }
}

/** Groups the recordings that have the same reference. */
function groupAlike(utterances: readonly PlannedUtterance[]) {
  const indexesOf = Map.groupBy(utterances.keys(), (index) => utterances[index]?.reference)
  const alikeAt = (index: number): readonly number[] => indexesOf.get(utterances[index]?.reference) ?? []
  return {
    idsOf: (index: number): readonly string[] => alikeAt(index).map((place) => utterances[place]?.id ?? ''),
    /** The same number for all recordings with one reference. */
    sentenceOf: (index: number): number => alikeAt(index)[0] ?? index,
  }
}

/** Min error rate of an answer that does not fit its own reference. */
const wrongRate = 0.6
/** Max error rate of an answer that is the text of another recording, because engines make errors. */
const sameRate = 0.34
/** Min length of an answer and of the reference that it matches, because shorter ones match by chance. */
const shortest = { words: 5, characters: 12 }
/** Number of consecutive words or characters by which a text finds candidate references. */
const gramLength = { words: 3, characters: 6 }
/** Max references with the same consecutive words; more do not show which one was answered. */
const maxSharing = 50
/** Max number of distinct wrong texts, so that memory does not grow with the run. */
const maxTexts = 20_000
/** Max references that a text is compared with, those with most common words first. */
const maxCandidates = 3

function findPairs({ utterances, answers, scorer }: CrossedInput) {
  const { leads } = scorer.profile
  const indexOf = new Map(utterances.map(({ id }, index) => [id, index]))
  const wrong = new Map<
    string,
    { readonly index: number; readonly text: string; readonly answers: TimedAnswer[] }
  >()
  const answerCounts = new Map<string, number>()
  for (const answer of answers) {
    const { utteranceId, text, counts } = answer
    answerCounts.set(utteranceId, (answerCounts.get(utteranceId) ?? 0) + 1)
    const index = indexOf.get(utteranceId)
    if (index === undefined || (errorRate(counts) ?? 1) < wrongRate) continue
    const key = `${index} ${text}`
    const earlier = wrong.get(key)
    if (earlier !== undefined) earlier.answers.push(answer)
    else if (wrong.size < maxTexts) wrong.set(key, { index, text, answers: [answer] })
  }
  const candidates = findCandidates([...wrong.values()], utterances, scorer)
  const pairs = [...wrong.values()].flatMap((one): readonly Pair[] => {
    const matching = candidates(one)
      .map((otherIndex) => {
        const counts = scorer.score(utterances[otherIndex] as PlannedUtterance, one.text)[leads]
        return { otherIndex, length: referenceLength(counts), rate: errorRate(counts) ?? 1 }
      })
      .filter(({ length, rate }) => length >= shortest[leads] && rate <= sameRate)
      .sort((a, b) => a.rate - b.rate)
    const [best, next] = matching
    // A text that is equally near to two references identifies neither.
    return best === undefined || next?.rate === best.rate ? [] : [{ ...one, otherIndex: best.otherIndex }]
  })
  return { pairs, answerCounts }
}

/** Returns a function that gives the references with the most consecutive words in common with a text. */
function findCandidates(
  wrong: readonly { readonly index: number; readonly text: string }[],
  utterances: readonly PlannedUtterance[],
  scorer: TranscriptScorer,
): (one: { readonly index: number; readonly text: string }) => readonly number[] {
  // The recordings of one sentence are one reference, however many they are.
  const indexesOf = Map.groupBy(utterances.keys(), (index) => utterances[index]?.reference ?? '')
  const sharing = new Map<string, string[]>()
  const gramsOf = (text: string, language: string | null): readonly string[] => {
    const tokens = splitTokens(text, language, scorer)
    const length = gramLength[scorer.profile.leads]
    return tokens.length < shortest[scorer.profile.leads]
      ? []
      : tokens.slice(length - 1).map((_, index) => tokens.slice(index, index + length).join(' '))
  }
  const languageAt = (index = 0): string | null => utterances[index]?.language ?? null
  for (const { index, text } of wrong)
    for (const gram of gramsOf(text, languageAt(index))) if (!sharing.has(gram)) sharing.set(gram, [])
  if (sharing.size > 0)
    for (const [reference, [first]] of indexesOf)
      for (const gram of gramsOf(reference, languageAt(first))) {
        const references = sharing.get(gram)
        if (references !== undefined && references.length <= maxSharing && references.at(-1) !== reference)
          references.push(reference)
      }
  return ({ index: wrongIndex, text }) => {
    const counts = new Map<string, number>()
    for (const gram of gramsOf(text, languageAt(wrongIndex))) {
      const references = sharing.get(gram) ?? []
      if (references.length > maxSharing) continue
      for (const reference of references) counts.set(reference, (counts.get(reference) ?? 0) + 1)
    }
    // A copy of the recording has the same answer, whatever its reference is.
    const isCopy = (index: number): boolean => utterances[index]?.sha256 === utterances[wrongIndex]?.sha256
    return [...counts]
      .sort((a, b) => b[1] - a[1])
      .flatMap(([reference]) => indexesOf.get(reference)?.find((index) => !isCopy(index)) ?? [])
      .slice(0, maxCandidates)
  }
}

function splitTokens(
  text: string,
  language: string | null,
  { profile, rules }: TranscriptScorer,
): readonly string[] {
  const utteranceProfile = profileOfUtterance(rules, language)
  const normalised = normalise(text, utteranceProfile)
  return profile.leads === 'words'
    ? tokeniseWords(normalised, utteranceProfile.words)
    : tokeniseCharacters(normalised, 'no-spaces')
}

/** Max time between the end of a request and the sending of another one for them to be confused. */
const nearMs = 2000

/** Sorts the requests of each server by time, those of the wanted recordings apart. */
function gatherSendings(
  sendings: Iterable<TimedSending>,
  wanted: ReadonlySet<string>,
): {
  /** Time to the nearest sending of any of the recordings; null where none was near. */
  distanceMs(utteranceIds: readonly string[], answer: TimedAnswer): number | null
  /** Number of requests at the server at about the same time, including the answered one. */
  nearCount(answer: TimedAnswer): number
} {
  const byServer = new Map<string, { sent: number[]; ended: number[]; longestMs: number }>()
  const wantedSendings: TimedSending[] = []
  for (const sending of sendings) {
    const { server, utteranceId, sentAtMs, endedAtMs } = sending
    const times = byServer.get(server) ?? { sent: [], ended: [], longestMs: 0 }
    byServer.set(server, times)
    times.sent.push(sentAtMs)
    times.ended.push(endedAtMs)
    times.longestMs = Math.max(times.longestMs, endedAtMs - sentAtMs)
    if (wanted.has(utteranceId)) wantedSendings.push(sending)
  }
  for (const { sent, ended } of byServer.values()) {
    sent.sort((a, b) => a - b)
    ended.sort((a, b) => a - b)
  }
  wantedSendings.sort((a, b) => a.sentAtMs - b.sentAtMs)
  const byRecording = Map.groupBy(wantedSendings, ({ server, utteranceId }) => `${utteranceId}\n${server}`)
  const timesOf = new Map(
    [...byRecording].map(([key, all]) => [
      key,
      { sent: all.map(({ sentAtMs }) => sentAtMs), ended: all.map(({ endedAtMs }) => endedAtMs) },
    ]),
  )
  return {
    distanceMs(utteranceIds, { server, sentAtMs, endedAtMs }) {
      const firstEndMs = sentAtMs - nearMs
      const longestMs = byServer.get(server)?.longestMs ?? 0
      let nearestMs = Number.POSITIVE_INFINITY
      for (const id of utteranceIds) {
        const { sent = [], ended = [] } = timesOf.get(`${id}\n${server}`) ?? {}
        const later = countUpTo(sent, sentAtMs)
        const nextMs = sent[later] ?? Number.POSITIVE_INFINITY
        if (nextMs <= endedAtMs) nearestMs = Math.min(nearestMs, nextMs - sentAtMs)
        for (let at = later - 1; (sent[at] ?? 0) + longestMs >= firstEndMs && at >= 0; at -= 1) {
          if ((ended[at] as number) < firstEndMs) continue
          nearestMs = Math.min(nearestMs, sentAtMs - (sent[at] as number))
          break
        }
      }
      return Number.isFinite(nearestMs) ? nearestMs : null
    },
    nearCount({ server, sentAtMs, endedAtMs }) {
      const { sent = [], ended = [] } = byServer.get(server) ?? {}
      return countUpTo(sent, endedAtMs) - countUpTo(ended, sentAtMs - nearMs)
    },
  }
}

/**
 * Returns texts that an engine invents, such as "thank you for watching": answers to three or more recordings that
 * are more than half of all hits, or for at least half of which the recording of that text was not sent near in time.
 */
function inventedTexts(hits: readonly Hit[]): ReadonlySet<string> {
  return new Set(
    [...Map.groupBy(hits, ({ pair }) => pair.text)].flatMap(([text, textHits]) => {
      const recordings = new Set(textHits.map(({ pair }) => pair.index)).size
      const farCount = textHits.filter(({ distanceMs }) => distanceMs === null).length
      if (recordings < 3) return []
      return 2 * textHits.length > hits.length || 2 * farCount >= textHits.length ? [text] : []
    }),
  )
}

/** Min number of pairs, and share of them with one distance in the manifest, for shifted references. */
const fewestShifted = 4
const leastShifted = 0.8

/**
 * Whether the lines of the manifest are shifted, so that each recording has the reference of the next one. Recordings are
 * sent in shuffled order, so confused ones do not have a constant distance in the manifest.
 */
function areShifted(hits: readonly Hit[]): boolean {
  const pairs = new Map(hits.map(({ pair }) => [`${pair.index} ${pair.otherIndex}`, pair]))
  if (pairs.size < fewestShifted) return false
  const distances = Map.groupBy(pairs.values(), ({ index, otherIndex }) => otherIndex - index)
  return [...distances.values()].some((shifted) => shifted.length >= leastShifted * pairs.size)
}

/** Share of recordings near each request from which nearness in time proves nothing, as in a short run. */
const uninformativeNearShare = 0.5
/**
 * Max probability that pairs are as near in time by chance. It is lower where both texts of a pair changed places,
 * because two references that are exchanged in a manifest look the same. Where recording A got the text of B, and B
 * not that of A, a confusion is the likelier cause.
 */
const maxChance = { mutual: 0.05, oneWay: 0.25 }

/**
 * Whether chance alone brings so many recordings near in time to the answers that have their texts.
 *
 * @param nearShare share of the answers to which they are near
 */
function areNearByChance({ count, areMutual }: PairCounts, nearShare: number, chance: number): boolean {
  return tailBound(nearShare, chance) ** count > maxChance[areMutual ? 'mutual' : 'oneWay']
}

/**
 * Returns the base of a bound: its n-th power bounds the probability that, of n independent trials with a probability of
 * `chance` each, this share or more succeeds. Answers of one pair are not independent, so n is the number of pairs.
 *
 * @see Hoeffding 1963, theorem 1
 */
function tailBound(share: number, chance: number): number {
  // With a share of 1, the second factor is Infinity ** 0, which is 1.
  return (chance / share) ** share * ((1 - chance) / (1 - share)) ** (1 - share)
}

/** Number of pairs from which exchanged references in a manifest are an unlikely explanation. */
const fewestExchanged = 3

/**
 * Whether a few pairs changed places in every answer, as with references exchanged in the manifest. It is used where
 * nearness in time proves nothing. A one-sided or occasional match is still a confusion.
 */
function areExchanged(
  hits: readonly Hit[],
  { count, areMutual }: PairCounts,
  answerCounts: ReadonlyMap<string, number>,
): boolean {
  if (!areMutual || count >= fewestExchanged) return false
  const crossed = Map.groupBy(hits, ({ answer }) => answer.utteranceId)
  return [...crossed].every(([id, crossedHits]) => crossedHits.length === answerCounts.get(id))
}

/** Number of pairs of sentences in either order, and whether the texts of any pair changed places. */
interface PairCounts {
  readonly count: number
  readonly areMutual: boolean
}

/** Counts the pairs. Two exchanged references are one pair, whose texts changed places. */
function countPairs(hits: readonly Hit[], sentenceOf: (index: number) => number): PairCounts {
  const sentences = hits.map(({ pair }) => [sentenceOf(pair.index), sentenceOf(pair.otherIndex)] as const)
  const ordered = new Set(sentences.map(([own, other]) => `${own} ${other}`))
  const count = new Set(sentences.map(([own, other]) => `${Math.min(own, other)} ${Math.max(own, other)}`))
    .size
  return { count, areMutual: count < ordered.size }
}
