import { lazily } from '#prelude'
import { lateBounded } from '../needed-texts.ts'
import type { Stage } from '../profile.ts'
import type { LanguageFile } from './language-schema.ts'

/** What is after an abbreviation: a full stop, the sign of Devanagari, the geresh of Hebrew. */
const stop = "[.॰']?"
const day = '(?:0?[1-9]|[12]\\d|3[01])'
const year = '(?:1\\d|20)\\d\\d(?!\\d)'
const afterDay = new RegExp(`(?<![\\d.,:/])${day}(?:[.,ºª]|er)?[ -]?(?:de )?$`)
const afterYear = new RegExp(`(?<!\\d)${year} $`)
const beforeYear = new RegExp(`^[ ,-]*(?:de )?${year}`)
const beforeDay = new RegExp(`^ ${day}(?!\\d)`)
const beforeDayAndYear = new RegExp(`^ ${day},? ?${year}`)
const endsInLetter = /[\p{L}\p{M}]$/u
const beginsWithLetter = /^[\p{L}\p{M}]/u
/** Number of characters around a month that are looked at: more than the longest day, year and mark. */
const nearby = 12

type MonthTable = NonNullable<LanguageFile['months']>

interface Months {
  /** It has no limits of words, which would be looked at in every place of a text. */
  readonly pattern: RegExp
  readonly names: ReadonlyMap<string, string>
  /** Abbreviations that are words too. */
  readonly words: ReadonlySet<string>
}

/**
 * A stage that writes the abbreviated months of dates out.
 *
 * @param letters the stage that all texts go through before
 */
export function monthStage(table: MonthTable, letters: Stage): Stage {
  const months = lazily(() => readMonths(table, letters))
  const [{ name, short = [], ambiguous = [] } = { name: '' }] = table
  return {
    name: 'months',
    does: 'Abbreviated months are written out where they are next to a day or a year.',
    example: [`3 ${short[0] ?? ambiguous[0]} 2024`, `3 ${linked(name, '3 ', ' 2024')} 2024`],
    settings: JSON.stringify(table),
    apply(text) {
      if (!/\d/.test(text)) return text
      const { pattern, names, words } = months()
      return text.replace(pattern, (all: string, month: string, at: number) => {
        const before = text.slice(Math.max(0, at - nearby), at)
        const after = text.slice(at + all.length, at + all.length + nearby)
        if (endsInLetter.test(before) || beginsWithLetter.test(text.slice(at + month.length))) return all
        const isDated = words.has(month)
          ? afterDay.test(before) && (beforeYear.test(after) || all.endsWith('॰'))
          : afterDay.test(before) ||
            beforeYear.test(after) ||
            beforeDayAndYear.test(after) ||
            (afterYear.test(before) && beforeDay.test(after))
        return isDated ? linked(names.get(month) as string, before, after) : all
      })
    },
  }
}

/** A name may begin with the word that is said before it and before the year: `3 ene 2024` is `3 de enero de 2024`. */
function linked(name: string, before: string, after: string): string {
  const [link, month] = name.split(' ')
  if (link === undefined || month === undefined) return name
  const hasDay = afterDay.test(before) && !before.endsWith(`${link} `)
  const hasYear = beforeYear.test(after) && !after.startsWith(` ${link} `)
  return `${hasDay ? `${link} ` : ''}${month}${hasYear ? ` ${link}` : ''}`
}

/** What a text is looked through for once its numbers are figures. */
export function monthSigns(table: MonthTable, letters: Stage): readonly RegExp[] {
  const { names } = readMonths(table, letters)
  const short = `(?:${[...names.keys()].join('|')})`
  return [
    new RegExp(`\\d[ºª]? ?(?:de )?${short}(?![\\p{L}\\p{M}])`, 'u'),
    new RegExp(lateBounded('[\\p{L}\\p{M}]', `${short} ?(?:de )?\\d`), 'u'),
  ]
}

function readMonths(table: MonthTable, letters: Stage): Months {
  const entries = table.flatMap(({ name, ...kinds }) =>
    Object.entries(kinds).flatMap(([kind, all = []]) =>
      all.map((short) => ({
        short: letters.apply(short),
        name: letters.apply(name),
        isWord: kind === 'ambiguous',
      })),
    ),
  )
  const longestFirst = entries.map(({ short }) => short).sort((a, b) => b.length - a.length)
  return {
    pattern: new RegExp(`(${longestFirst.join('|').replaceAll('.', '\\.')})${stop}`, 'g'),
    names: new Map(entries.map(({ short, name }) => [short, name])),
    words: new Set(entries.filter(({ isWord }) => isWord).map(({ short }) => short)),
  }
}
