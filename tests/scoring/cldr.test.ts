import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { findProfile } from '#scoring/profiles/index'
import { normalise } from '#scoring/profiles/profile'
import { languages } from '../../src/scoring/profiles/languages/all.ts'

/** What the long form says besides the short one, or why both are heard as two texts. */
interface Exception {
  readonly what: string
  /** Texts of the long form, each with what it is in the short one; empty where the two forms are not compared. */
  readonly besides: readonly (readonly [long: string, short: string])[]
  readonly why: string
}

const tested = '48'
const version = process.versions['cldr'] ?? 'unknown'
const file = new URL('fixtures/cldr-exceptions.txt', import.meta.url)
const [{ exceptions, reasons }, ownCurrencies] = [readExceptions(readFileSync(file, 'utf8')), currencies()]

/** The forms of one quantity in Unicode's CLDR. */
interface Forms {
  /** A currency, a unit or `month`. */
  readonly what: string
  readonly short: string
  readonly long: string
}

/** One of each category of plurals, in every language. */
const counts = [1, 2, 3, 5, 11, 21, 100]
const units =
  'kilometer meter centimeter kilogram gram liter hour minute second percent celsius kilometer-per-hour'.split(
    ' ',
  )

describe.each(languages)('the profile $id', ({ id, language }) => {
  const name = id.replace(/@.*/, '')
  const profile = findProfile(name)
  const made = (text: string): string => {
    const result = normalise(text, profile)
    return profile.characters === 'no-spaces' ? result.replaceAll(' ', '') : result
  }
  const known = exceptions.get(name) ?? []
  const isExplained = ({ what, short, long }: Forms): boolean =>
    known.some(({ what: exception, besides }) => {
      if (exception !== what) return false
      if (besides.length === 0) return true
      const bare = besides.reduce((text, [words, instead]) => text.replace(words, instead), long)
      return bare !== long && made(short) === made(bare)
    })
  const different = formsOf(language, name).filter(({ short, long }) => made(short) !== made(long))

  test('equates the short and the long form of months, currencies, per cent and units, or explains why it does not', () => {
    const unexplained = different
      .filter((forms) => !isExplained(forms))
      .map(
        ({ what, short, long }) => `${name} | ${what}: ${short} | ${long} -> ${made(short)} | ${made(long)}`,
      )
    expect(unexplained, `CLDR ${version}; the rules were checked against CLDR ${tested}`).toEqual([])
  })

  test.runIf(version.startsWith(tested))('has no exception that is needed no longer', () => {
    const needed = new Set(different.map(({ what }) => what))
    expect(known.map(({ what }) => what).filter((what) => !needed.has(what))).toEqual([])
  })

  test('distinguishes five of one currency or unit from five of every other', () => {
    const texts = ['5 €', '5 $', '5 £', '5 ¥', '5 ₹', '5', '5 km', '5 kg', '5 %', '5 °C']
    const byForm = Map.groupBy(texts, made)
    expect([...byForm.values()].filter((same) => same.length > 1)).toEqual([])
  })

  test('distinguishes five of a currency from five, wherever its sign is', () => {
    for (const sign of '€$£¥₹') expect([sign, made(`${sign}5`)]).toEqual([sign, made(`5 ${sign}`)])
    for (const sign of '€$£¥₹₩₦') expect(made(`5 ${sign}`)).not.toBe(made('5'))
  })
})

test('every exception names a reason that the file explains', () => {
  const all = [...exceptions.values()].flat()
  expect(all.filter(({ why }) => !reasons.has(why))).toEqual([])
  expect(all.length).toBeLessThan(160)
})

function formsOf(language: string, name: string): readonly Forms[] {
  const latin = { numberingSystem: 'latn' } as const
  const all: Forms[] = []
  const add = (what: string, short: string, long: string): void => {
    all.push({ what, short, long })
  }
  const numbered = (options: Intl.NumberFormatOptions, count: number): string =>
    new Intl.NumberFormat(language, { ...latin, ...options }).format(count)
  for (const count of counts) {
    for (const currency of new Set(['EUR', 'USD', 'GBP', ownCurrencies.get(name) as string])) {
      const money = { style: 'currency', currency, maximumFractionDigits: 0 } as const
      const said = numbered({ ...money, currencyDisplay: 'name' }, count)
      add(currency, numbered({ ...money, currencyDisplay: 'narrowSymbol' }, count), said)
    }
    for (const unit of units) {
      const measure = { style: 'unit', unit } as const
      const said = numbered({ ...measure, unitDisplay: 'long' }, count)
      add(unit, numbered({ ...measure, unitDisplay: 'short' }, count), said)
    }
  }
  const dated = (month: 'short' | 'long', date: Date): string =>
    new Intl.DateTimeFormat(language, {
      ...latin,
      calendar: 'gregory',
      timeZone: 'UTC',
      day: 'numeric',
      month,
      year: 'numeric',
    }).format(date)
  for (let month = 0; month < 12; month += 1) {
    const date = new Date(Date.UTC(2024, month, 3))
    add('month', dated('short', date), dated('long', date))
  }
  return all
}

/** The currency of the country that most speakers of a language live in. */
function currencies(): ReadonlyMap<string, string> {
  const others =
    'EUR german french spanish italian dutch finnish; INR hindi tamil telugu malayalam kannada punjabi gujarati marathi'
  const own =
    'BRL portuguese; PLN polish; SEK swedish; DKK danish; NOK norwegian; CZK czech; RUB russian; UAH ukrainian; TRY turkish; ' +
    'CNY chinese; JPY japanese; KRW korean; THB thai; LAK lao; KHR khmer; MMK burmese; BDT bengali; EGP arabic; IRR persian; ' +
    'PKR urdu; ILS hebrew; VND vietnamese'
  return new Map(
    `${others}; ${own}`.split('; ').flatMap((entry) => {
      const [currency = '', ...names] = entry.split(' ')
      return names.map((name): [string, string] => [name, currency])
    }),
  )
}

/** `sterlini>sterlin`; a text without a `>` goes. */
function replacement(text: string): readonly [string, string] {
  const [long = '', short = ' '] = text.split('>')
  return [long, short]
}

/** `# why: explanation` for each reason, then `language | what | texts, texts | why`. */
function readExceptions(text: string): {
  readonly exceptions: ReadonlyMap<string, readonly Exception[]>
  readonly reasons: ReadonlySet<string>
} {
  const lines = text.trimEnd().split('\n')
  const rows = lines
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const [name = '', what = '', besides = '', why = ''] = line.split(' | ')
      return { name, what, besides: besides === '-' ? [] : besides.split(', ').map(replacement), why }
    })
  return {
    exceptions: Map.groupBy(rows, ({ name }) => name),
    reasons: new Set(
      lines.filter((line) => line.startsWith('# ')).map((line) => line.slice(2).replace(/:.*/, '')),
    ),
  }
}
