import { isAbsolute, sep } from 'node:path'
import { growingTable, lazily, lazyRows, numberAt, type Rows, sharedValues, textCodes } from '#prelude'
import { idTable } from '../manifest/id-table.ts'
import { packedTexts } from './packed-texts.ts'
import type { Columns, Utterance, UtteranceRows, VerifiedUtterance } from './utterance.ts'

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
/** How each field of an utterance is read out of the packed bytes. */
type Fields<Row> = { readonly [Name in keyof Row]: (position: number) => Row[Name] }

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
      const sharedAt = (position: number): Shared => kinds.values[numberAt(coded, position, 1)] as Shared
      const rareAt = (position: number): Rare => rareOf(rares.at(position))
      const fields: Fields<Utterance> = {
        id: ids.at,
        audioPath(position) {
          const path = paths.at(position)
          return isAbsolute(path) ? path : prefix + path
        },
        text: texts.at,
        alternatives: (position) => rareAt(position).alternatives,
        hasChoices: (position) => sharedAt(position).hasChoices,
        isDraft: (position) => sharedAt(position).isDraft,
        durationSeconds(position) {
          const durationSeconds = numberAt(seconds, position, 0)
          return Number.isNaN(durationSeconds) ? null : durationSeconds
        },
        sha256: (position) => hashes.at(position) || null,
        language: (position) => sharedAt(position).language,
        speaker: (position) => nameAt(position, 2),
        tags: (position) => sharedAt(position).tags,
        keywords: (position) => rareAt(position).keywords,
        entities: (position) => rareAt(position).entities,
        times: (position) => rareAt(position).times,
        source: (position) => nameAt(position, 3),
        derived: (position) => rareAt(position).derived,
        line: (position) => numberAt(coded, position, 0),
      }
      const rows = lazyRows(ids.length, (position): Utterance => {
        const { alternatives, keywords, entities, times, derived } = rareAt(position)
        const { language, hasChoices, isDraft, tags } = sharedAt(position)
        return {
          id: fields.id(position),
          audioPath: fields.audioPath(position),
          text: fields.text(position),
          alternatives,
          hasChoices,
          isDraft,
          durationSeconds: fields.durationSeconds(position),
          sha256: fields.sha256(position),
          language,
          speaker: fields.speaker(position),
          tags,
          keywords,
          entities,
          times,
          source: fields.source(position),
          derived,
          line: fields.line(position),
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
        column: (name) => lazyRows(ids.length, fields[name]),
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

export type MeasuredRows = Rows<Measured> & Columns<Measured>

export function measuredStore(): { add(measured: Measured): void; rows(): MeasuredRows } {
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
      const fields: Fields<Measured> = {
        durationSeconds: (position) => numberAt(measured, position, 0),
        sha256: hashes.at,
        sizeBytes: (position) => numberAt(measured, position, 1),
        mimeType: (position) => mimeTypes.texts[numberAt(coded, position, 0)] as string,
      }
      const rows = lazyRows(hashes.length, (position) => ({
        durationSeconds: fields.durationSeconds(position),
        sha256: fields.sha256(position),
        sizeBytes: fields.sizeBytes(position),
        mimeType: fields.mimeType(position),
      }))
      return { ...rows, column: (name) => lazyRows(hashes.length, fields[name]) }
    },
  }
}

/** Utterances with what their files were found to be. */
export function verifiedRows(
  utterances: UtteranceRows,
  measured: MeasuredRows,
): UtteranceRows<VerifiedUtterance> {
  const rows = lazyRows(measured.length, (position) => ({
    ...(utterances.at(position) as Utterance),
    ...(measured.at(position) as Measured),
  }))
  return withLookup(rows, {
    ...utterances,
    column: (name) => (isMeasured(name) ? measured.column(name) : utterances.column(name)) as Rows<never>,
  })
}

function isMeasured(name: keyof VerifiedUtterance): name is keyof Measured {
  return name === 'durationSeconds' || name === 'sha256' || name === 'sizeBytes' || name === 'mimeType'
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
  { positionOf, languages, column }: Omit<UtteranceRows<Row>, 'byId' | keyof Rows<Row>>,
): UtteranceRows<Row> {
  return {
    ...rows,
    positionOf,
    languages,
    column,
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
