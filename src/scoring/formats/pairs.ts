import type { Problem } from '#prelude'
import type { Utterance } from '../utterance.ts'
import { parseObject, tagsOf } from './plain-text.ts'
import { duplicateIds, isBroken, linesOf, type TranscriptRecord } from './record.ts'

/** What can be scored, and what cannot and why. */
export interface ParsedPairs {
  readonly utterances: readonly Utterance[]
  readonly problems: readonly Problem[]
}

/**
 * Reads `pairs.jsonl`: objects with `id`, `reference` (a text, or a list of texts that are as right) and
 * `hypothesis` (a text, or null where nothing came back), one a line. `speaker` and all other plain fields are
 * kept as tags.
 */
export function parsePairs(text: string, firstLine = 1): ParsedPairs {
  const utterances: (Utterance & { readonly line: number })[] = []
  const problems: Problem[] = []
  for (const { line: index, text: content } of linesOf(text)) {
    const line = firstLine + index - 1
    if (content.trim() === '') continue
    const row = parseObject(content)
    const what = typeof row === 'string' ? row : pairProblem(row)
    if (typeof row === 'string' || what !== null) {
      problems.push({
        where: String(line),
        what: what ?? '',
        hint: 'write {"id":"…","reference":"…","hypothesis":"…"}, one object a line',
      })
      continue
    }
    utterances.push({
      id: String(row['id']),
      reference: row['reference'] as string | string[],
      hypothesis: row['hypothesis'] as string | null,
      speaker: typeof row['speaker'] === 'string' ? row['speaker'] : null,
      tags: tagsOf(row, ['id', 'reference', 'hypothesis', 'speaker']),
      line,
    })
  }
  return { utterances, problems: [...problems, ...duplicateIds(utterances)] }
}

function pairProblem(row: Readonly<Record<string, unknown>>): string | null {
  const { id, reference, hypothesis } = row
  if ((typeof id !== 'string' && typeof id !== 'number') || id === '') return 'the line has no id'
  const references: readonly unknown[] = Array.isArray(reference) ? reference : [reference]
  if (references.length === 0 || !references.every((text) => typeof text === 'string')) {
    return 'the line has no reference'
  }
  if (typeof hypothesis !== 'string' && hypothesis !== null) return 'the line has no hypothesis'
  const texts = [...references, hypothesis].filter((text) => typeof text === 'string')
  return texts.some(isBroken) ? 'a text holds half of a surrogate pair' : null
}

/** References and hypotheses of two files, paired by id, and what has no partner. */
export interface PairedRecords {
  readonly utterances: readonly Utterance[]
  /** Ids that only one side has, in file order: never dropped in silence, never paired by position. */
  readonly unpaired: readonly {
    readonly side: 'reference' | 'hypothesis'
    readonly id: string
    readonly line: number
  }[]
}

/** Pairs transcripts by id. Of an id that occurs twice the first one counts; the parsers report the second. */
export function pairRecords(
  references: readonly TranscriptRecord[],
  hypotheses: readonly TranscriptRecord[],
): PairedRecords {
  const byId = new Map(hypotheses.toReversed().map((record) => [record.id, record]))
  const known = new Set(references.map(({ id }) => id))
  const utterances: Utterance[] = []
  const unpaired: { side: 'reference' | 'hypothesis'; id: string; line: number }[] = []
  const taken = new Set<string>()
  for (const reference of references) {
    const hypothesis = byId.get(reference.id)
    if (hypothesis === undefined) unpaired.push({ side: 'reference', id: reference.id, line: reference.line })
    else if (!taken.has(reference.id)) utterances.push(utteranceOf(reference, hypothesis))
    taken.add(reference.id)
  }
  for (const { id, line } of hypotheses) if (!known.has(id)) unpaired.push({ side: 'hypothesis', id, line })
  return { utterances, unpaired }
}

function utteranceOf(reference: TranscriptRecord, hypothesis: TranscriptRecord): Utterance {
  return {
    id: reference.id,
    reference: reference.parts ?? reference.text,
    hypothesis: hypothesis.parts ?? hypothesis.text,
    speaker: reference.speaker ?? hypothesis.speaker,
    tags: { ...hypothesis.tags, ...reference.tags },
  }
}
