import type { Problem } from '#prelude'
import { duplicateIds, linesOf, type ParsedTranscripts, type TranscriptRecord } from './record.ts'
import { parseMarkup } from './transcript-markup.ts'

/**
 * Reads a NIST transcript file: a transcript a line, its id in parentheses at the end, `;;` before a comment.
 *
 *   the { big / large } cat (spk1-utt3)
 *
 * Ids are taken in lower case, since NIST's scorer pairs them without regard to case.
 *
 * @param text of a whole file, or of a part of one that ends at the end of a line
 * @param firstLine number of its first line
 * @returns what could be read, and a problem for every line that could not. Never throws.
 * @see SCTK, doc/infmts.htm
 */
export function parseTrn(text: string, firstLine = 1): ParsedTranscripts {
  const records: TranscriptRecord[] = []
  const problems: Problem[] = []
  for (const { line: index, text: content } of linesOf(text)) {
    const line = firstLine + index - 1
    if (content.trim() === '' || content.startsWith(';;')) continue
    const match = /^(.*?)\(([^()]*)\)\s*$/s.exec(content)
    const id = match?.[2]?.trim().toLowerCase() ?? ''
    if (match === null || id === '') {
      problems.push({
        where: String(line),
        what: 'the line has no id',
        hint: 'end it with an id in parentheses: (speaker-utterance)',
      })
      continue
    }
    const written = (match[1] as string).trim()
    const markup = parseMarkup(written, { hasTags: true })
    if (markup.ok) {
      const { parts, taggedCount } = markup
      records.push({ id, text: written, parts, taggedCount, speaker: speakerOf(id), tags: {}, line })
    } else problems.push({ where: String(line), what: `${markup.what} (${id})`, hint: markup.hint })
  }
  return { records, problems: [...problems, ...duplicateIds(records)] }
}

/**
 * The speaker that an utterance id names: the text before the first `-`, else before the first `_`, else the
 * first three characters, as in the ids of the Wall Street Journal corpus (4t0c0201).
 *
 * @see SCTK, align.c (extract_speaker)
 */
export function speakerOf(id: string): string {
  const dash = id.indexOf('-')
  const end = dash >= 0 ? dash : id.indexOf('_')
  return end >= 0 ? id.slice(0, end) : id.slice(0, 3)
}
