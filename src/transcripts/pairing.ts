import type { Problem } from '#prelude'
import type { Side, Transcript } from './transcript.ts'

/** A reference and the hypothesis of its id. */
export interface Match {
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

/** How problems name the two files. */
export interface FileNames {
  readonly reference: string
  readonly hypothesis: string
}

/** Starts to join two files, of which one waits for the other where it is ahead or in another order. */
export function startPairing(names: FileNames, by: 'line' | 'id'): Pairing {
  return by === 'line' ? pairByLine(names) : pairById(names)
}

function pairByLine(names: FileNames): Pairing {
  const waiting: Record<Side, Transcript[]> = { reference: [], hypothesis: [] }
  const counts: Record<Side, number> = { reference: 0, hypothesis: 0 }
  const ended: Record<Side, boolean> = { reference: false, hypothesis: false }
  return {
    add(side, transcripts) {
      counts[side] += transcripts.length
      const other = otherSide(side)
      // What comes after the other file's end has no partner, and is only counted.
      if (ended[other] && waiting[other].length === 0) return []
      waiting[side] = waiting[side].concat(transcripts)
      const count = Math.min(waiting.reference.length, waiting.hypothesis.length)
      const [references, hypotheses] = [waiting.reference, waiting.hypothesis]
      waiting.reference = references.slice(count)
      waiting.hypothesis = hypotheses.slice(count)
      return Array.from({ length: count }, (_, index) => ({
        reference: references[index] as Transcript,
        hypothesis: hypotheses[index] as Transcript,
      }))
    },
    end(side) {
      ended[side] = true
    },
    unpaired: () => unevenEnd(names, counts),
    ignored: () => ({ referenceCount: 0, hypothesisCount: 0 }),
  }
}

function otherSide(side: Side): Side {
  return side === 'reference' ? 'hypothesis' : 'reference'
}

function pairById(names: FileNames): Pairing {
  const references = new Map<string, Transcript>()
  const hypotheses = new Map<string, Transcript>()
  /** Ids of references that ask to be left out. */
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
  return {
    add(side, transcripts) {
      for (const transcript of transcripts) wait(side, transcript)
      return takeMatches(references, hypotheses)
    },
    end: () => {},
    unpaired: () => [
      ...withoutPartner(references, hypotheses, [names.reference, names.hypothesis]),
      ...withoutPartner(hypotheses, references, [names.hypothesis, names.reference]),
    ],
    ignored: () => ({ referenceCount: ignored.size, hypothesisCount: ignoredHypotheses }),
  }
}

function takeMatches(
  references: Map<string, Transcript>,
  hypotheses: Map<string, Transcript>,
): readonly Match[] {
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

function unevenEnd(names: FileNames, counts: Readonly<Record<Side, number>>): readonly Problem[] {
  const sides = [
    { name: names.reference, count: counts.reference },
    { name: names.hypothesis, count: counts.hypothesis },
  ] as const
  const [shorter, longer] = sides[0].count < sides[1].count ? sides : [sides[1], sides[0]]
  if (shorter.count === longer.count) return []
  return [
    {
      where: `${longer.name}:${shorter.count + 1}`,
      what: `${longer.name} has ${longer.count} lines and ${shorter.name} ${shorter.count}: no partner from here on`,
      hint:
        'plain text is paired by line, and a blank line is an empty transcript; to pair by id, write ' +
        '{"id": "…", "text": "…"} a line into files named .jsonl',
    },
  ]
}

function withoutPartner(
  those: ReadonlyMap<string, Transcript>,
  others: ReadonlyMap<string, Transcript>,
  [name, otherName]: readonly [string, string],
): readonly Problem[] {
  // Those behind the first one without a partner still wait, with their partners.
  return [...those.values()]
    .filter(({ id }) => !others.has(id))
    .map(({ id, line, file }) => ({
      where: file ?? `${name}:${line}`,
      what: `the id "${id}" is not in ${otherName}`,
      hint:
        file === undefined
          ? 'write "hypothesis": null, or an empty text, for an utterance that an engine did not answer'
          : 'write an empty file for a recording that an engine did not answer',
    }))
}
