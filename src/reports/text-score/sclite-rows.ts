import type { ScoredText, TextScore } from '#rates'
import {
  type ReportNames,
  type SpokenAlignment,
  speakerOf,
  writeSgmlPath,
  writeSgmlSystem,
  writeTrnLine,
} from '#scoring/formats'
import type { KeptRows, RowFacts } from './format.ts'

/**
 * One side of a scored text as a line of a NIST transcript file, in the words that were compared: normalised, and in the
 * reading that was taken. Both sides so written give any other scorer what was counted here.
 */
export function trnLine(
  { id, steps }: ScoredText,
  side: 'reference' | 'hypothesis',
  { sclite }: RowFacts,
): string {
  // An optional word that was not said has no text on the other side.
  const words = (steps ?? []).flatMap((step) => step[side] || [])
  return `${writeTrnLine(words, trnId(id), sclite ?? {})}\n`
}

/** What is kept of a row for sc_stats: the speaker is needed to put it where it belongs. */
export function sgmlLine({ id, speaker, steps }: ScoredText): string {
  const spoken: SpokenAlignment = { id: trnId(id), speaker: speaker ?? speakerOf(id), steps: steps ?? [] }
  return `${JSON.stringify(spoken)}\n`
}

/**
 * Scored texts as sclite's `-o sgml`, for sc_stats and other readers of it: speaker by speaker, so that all of them are
 * held in memory. What was not answered is there with all of its words deleted.
 */
export async function* writeSgmlRows(
  score: TextScore,
  kept: KeptRows,
  names: ReportNames,
): AsyncIterable<string> {
  const bySpeaker = new Map<string, string[]>()
  for await (const lines of kept.lines()) {
    for (const line of lines) {
      const { speaker } = JSON.parse(line) as SpokenAlignment
      const own = bySpeaker.get(speaker)
      if (own === undefined) bySpeaker.set(speaker, [line])
      else own.push(line)
    }
  }
  const system = writeSgmlSystem({ ...names, ...(score.sclite === null ? {} : { sclite: score.sclite }) })
  yield system.begin
  let sequence = 0
  for (const [speaker, lines] of bySpeaker) {
    yield system.beginSpeaker(speaker)
    for (const line of lines) {
      yield writeSgmlPath(JSON.parse(line) as SpokenAlignment, sequence)
      sequence += 1
    }
    yield system.endSpeaker
  }
  yield system.end
}

/** An id ends at a parenthesis or a space there. */
function trnId(id: string): string {
  return id.replace(/[\s()%]/g, (mark) => encodeURIComponent(mark).replace('(', '%28').replace(')', '%29'))
}
