import type { Problem } from '#prelude'
import type { Side, Transcript } from './transcript-lines.ts'

/** A reference and the hypothesis of its id. */
interface Match {
  readonly reference: Transcript
  readonly hypothesis: Transcript
}

/** Joins two streams of transcripts. */
export interface Pairing {
  /** @returns what can be paired now, in the order of the references */
  add(side: Side, transcripts: readonly Transcript[]): readonly Match[]
  /** Nothing more comes from a side. */
  end(side: Side): void
  /** What has no partner, when both sides have ended. */
  unpaired(): readonly Problem[]
  /** References that ask to be left out, and how many of them have a hypothesis. */
  ignored(): { readonly referenceCount: number; readonly hypothesisCount: number }
}

/** Starts to join two files, of which one waits for the other where their orders differ. */
export function startPairing(
  names: { readonly references: string; readonly hypotheses: string },
  by: 'line' | 'id',
): Pairing {
  const references = new Map<string, Transcript>()
  const hypotheses = new Map<string, Transcript>()
  const counts = { reference: 0, hypothesis: 0 }
  const ended = { reference: false, hypothesis: false }
  /** Ids of references that ask to be left out, with their hypotheses. */
  const ignored = new Set<string>()
  let ignoredHypotheses = 0
  const wait = (side: Side, transcript: Transcript): void => {
    const { id, isIgnored = false } = transcript
    if (side === 'reference' && isIgnored) {
      ignored.add(id)
      if (hypotheses.delete(id)) ignoredHypotheses += 1
    } else if (side === 'hypothesis' && ignored.has(id)) ignoredHypotheses += 1
    else if (side === 'reference') references.set(id, transcript)
    else hypotheses.set(id, transcript)
  }
  const match = (): readonly Match[] => {
    const matches: Match[] = []
    // A Map keeps the order in which it was filled: the first is the next in the file.
    for (const [id, reference] of references) {
      const hypothesis = hypotheses.get(id)
      if (hypothesis === undefined) break
      references.delete(id)
      hypotheses.delete(id)
      matches.push({ reference, hypothesis })
    }
    return matches
  }
  return {
    add(side, transcripts) {
      counts[side] += transcripts.length
      const other = side === 'reference' ? 'hypothesis' : 'reference'
      // By line, what comes after the other file's end is known to have no partner.
      const isLost = by === 'line' && ended[other] && counts[side] - transcripts.length >= counts[other]
      if (!isLost) for (const transcript of transcripts) wait(side, transcript)
      return match()
    },
    end(side) {
      ended[side] = true
    },
    unpaired: () =>
      by === 'line'
        ? unevenEnd(names, counts)
        : [
            ...withoutPartner(references, hypotheses, names.references, names.hypotheses),
            ...withoutPartner(hypotheses, references, names.hypotheses, names.references),
          ],
    ignored: () => ({ referenceCount: ignored.size, hypothesisCount: ignoredHypotheses }),
  }
}

function unevenEnd(
  names: { readonly references: string; readonly hypotheses: string },
  counts: Readonly<Record<Side, number>>,
): readonly Problem[] {
  const sides = [
    { name: names.references, count: counts.reference },
    { name: names.hypotheses, count: counts.hypothesis },
  ] as const
  const [shorter, longer] = sides[0].count < sides[1].count ? sides : [sides[1], sides[0]]
  if (shorter.count === longer.count) return []
  return [
    {
      where: `${longer.name}:${shorter.count + 1}`,
      what: `${longer.name} has ${longer.count} lines and ${shorter.name} ${shorter.count}: from here on there is no partner`,
      hint: 'a blank line is an empty transcript; or pair by id, as JSON Lines',
    },
  ]
}

function withoutPartner(
  those: ReadonlyMap<string, Transcript>,
  others: ReadonlyMap<string, Transcript>,
  name: string,
  otherName: string,
): readonly Problem[] {
  return [...those.values()]
    .filter(({ id }) => !others.has(id))
    .map(({ id, line }) => ({
      where: `${name}:${line}`,
      what: `the id "${id}" is not in ${otherName}`,
      hint: 'what an engine did not answer stands as a row with "hypothesis": null, or as an empty text',
    }))
}
