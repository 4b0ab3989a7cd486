import { isAbsolute, sep } from 'node:path'
import { growingTable, lazily, lazyRows, numberAt, type Rows, sharedValues, textCodes } from '#prelude'
import { idTable } from './id-table.ts'
import { packedTexts } from './packed-texts.ts'
import type { Utterance, UtteranceRows, VerifiedUtterance } from './utterance.ts'

/** Takes utterances in, one after the other. */
export interface UtteranceStore {
  add(utterance: Utterance): void
  /** All that were added; nothing can be added afterwards. */
  rows(): UtteranceRows
}

/** What many utterances of a corpus have in common. */
type Shared = Pick<Utterance, 'language' | 'hasChoices' | 'isDraft' | 'tags'>
/** What most utterances have none of. */
type Rare = Pick<Utterance, 'alternatives' | 'keywords' | 'entities' | 'times' | 'derived'>

const nothingRare: Rare = { alternatives: [], keywords: [], entities: [], times: [], derived: null }

/** @param folder absolute path; those of recordings below it are kept without it */
export function utteranceStore(folder: string): UtteranceStore {
  const [ids, paths, texts, hashes, rares] = [
    packedTexts(),
    packedTexts(),
    packedTexts(),
    packedTexts('hex'),
    packedTexts(),
  ]
  const numbers = growingTable(1, 'double')
  const codes = growingTable(4, 'code')
  const kinds = sharedValues(isSame)
  const names = textCodes()
  const [speakerCode, sourceCode] = [names.column(), names.column()]
  const prefix = folder.endsWith(sep) ? folder : folder + sep
  return {
    add({ id, audioPath, text, durationSeconds, sha256, line, speaker, source, ...rest }) {
      const { language, hasChoices, isDraft, tags } = rest
      ids.add(id)
      paths.add(audioPath.startsWith(prefix) ? audioPath.slice(prefix.length) : audioPath)
      texts.add(text)
      hashes.add(sha256 ?? '')
      rares.add(rareText(rest))
      numbers.add([durationSeconds ?? Number.NaN])
      const kind = kinds.codeOf({ language, hasChoices, isDraft, tags })
      // Neither is ever empty.
      codes.add([line, kind, speakerCode(speaker ?? ''), sourceCode(source ?? '')])
    },
    rows() {
      const [seconds, coded] = [numbers.table(), codes.table()]
      const nameAt = (position: number, column: number): string | null =>
        names.texts[numberAt(coded, position, column)] || null
      const rows = lazyRows(ids.length, (position): Utterance => {
        const { language, hasChoices, isDraft, tags } = kinds.values[numberAt(coded, position, 1)] as Shared
        const { alternatives, keywords, entities, times, derived } = rareOf(rares.at(position))
        const path = paths.at(position)
        const durationSeconds = numberAt(seconds, position, 0)
        return {
          id: ids.at(position),
          audioPath: isAbsolute(path) ? path : prefix + path,
          text: texts.at(position),
          alternatives,
          hasChoices,
          isDraft,
          durationSeconds: Number.isNaN(durationSeconds) ? null : durationSeconds,
          sha256: hashes.at(position) || null,
          language,
          speaker: nameAt(position, 2),
          tags,
          keywords,
          entities,
          times,
          source: nameAt(position, 3),
          derived,
          line: numberAt(coded, position, 0),
        }
      })
      const places = lazily(() => {
        const table = idTable()
        for (let position = 0; position < ids.length; position += 1) table.add(ids.at(position), position + 1)
        return table
      })
      const languages = lazily(() => new Set(kinds.values.map(({ language }) => language)))
      return withLookup(rows, {
        languages,
        positionOf(id) {
          const place = places().lineOf(id)
          return place === null ? null : place - 1
        },
      })
    },
  }
}

/** What the files of utterances were found to be, in the order of the utterances: 60 bytes each. */
export type Measured = Pick<VerifiedUtterance, 'durationSeconds' | 'sha256' | 'sizeBytes' | 'mimeType'>

export function measuredStore(): { add(measured: Measured): void; rows(): Rows<Measured> } {
  const hashes = packedTexts('hex')
  const numbers = growingTable(2, 'double')
  const codes = growingTable(1, 'code')
  const mimeTypes = textCodes()
  const mimeTypeCode = mimeTypes.column()
  return {
    add({ durationSeconds, sha256, sizeBytes, mimeType }) {
      hashes.add(sha256)
      numbers.add([durationSeconds, sizeBytes])
      codes.add([mimeTypeCode(mimeType)])
    },
    rows() {
      const [measured, coded] = [numbers.table(), codes.table()]
      return lazyRows(hashes.length, (position) => ({
        durationSeconds: numberAt(measured, position, 0),
        sha256: hashes.at(position),
        sizeBytes: numberAt(measured, position, 1),
        mimeType: mimeTypes.texts[numberAt(coded, position, 0)] as string,
      }))
    },
  }
}

/** Utterances with what their files were found to be. */
export function verifiedRows(
  utterances: UtteranceRows,
  measured: Rows<Measured>,
): UtteranceRows<VerifiedUtterance> {
  const rows = lazyRows(measured.length, (position) => ({
    ...(utterances.at(position) as Utterance),
    ...(measured.at(position) as Measured),
  }))
  return withLookup(rows, utterances)
}

/** Utterances that are in memory as objects already. */
export function utteranceRows(
  folder: string,
  utterances: Iterable<VerifiedUtterance>,
): UtteranceRows<VerifiedUtterance> {
  const store = utteranceStore(folder)
  const measured = measuredStore()
  for (const utterance of utterances) {
    store.add(utterance)
    measured.add(utterance)
  }
  return verifiedRows(store.rows(), measured.rows())
}

function withLookup<Row extends Utterance>(
  rows: Rows<Row>,
  { positionOf, languages }: Pick<UtteranceRows, 'positionOf' | 'languages'>,
): UtteranceRows<Row> {
  return {
    ...rows,
    positionOf,
    languages,
    byId(id) {
      const position = positionOf(id)
      return position === null ? undefined : rows.at(position)
    },
  }
}

function isSame(a: Shared, b: Shared): boolean {
  return (
    a.language === b.language &&
    a.hasChoices === b.hasChoices &&
    a.isDraft === b.isDraft &&
    a.tags.length === b.tags.length &&
    a.tags.every((tag, index) => tag === b.tags[index])
  )
}

function rareText({ alternatives, keywords, entities, times, derived }: Rare): string {
  const isNothing =
    alternatives.length === 0 &&
    keywords.length === 0 &&
    entities.length === 0 &&
    times.length === 0 &&
    derived === null
  return isNothing ? '' : JSON.stringify({ alternatives, keywords, entities, times, derived })
}

function rareOf(text: string): Rare {
  return text === '' ? nothingRare : (JSON.parse(text) as Rare)
}
