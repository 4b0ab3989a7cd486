import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { errorCount } from '#scoring/counts'
import { findProfile } from '#scoring/profiles/index'
import { normalise, type Profile, type Stage, traceNormalisation } from '#scoring/profiles/profile'
import { scorePair } from '#scoring/score-utterance'
import { nextNumber, numberWords, readLanguagePairs } from '../../scripts/language-pairs.ts'
import { languageSchema } from '../../src/scoring/profiles/language-rules/language-schema.ts'
import { languageProfiles, languages } from '../../src/scoring/profiles/languages/all.ts'

const tables = readLanguagePairs()

/** Whether two texts count no errors, whichever is the reference; where spaces are no characters, they may differ in them. */
function areEqual(one: string, other: string, profile: Profile): boolean {
  const errors = (reference: string, hypothesis: string): number => {
    const { words, characters } = scorePair({ reference, hypothesis }, profile)
    return errorCount(profile.characters === 'no-spaces' ? characters : words)
  }
  return errors(one, other) === 0 && errors(other, one) === 0
}

/** Whether a mark ended a number. The normalised text does not show it, so normalised again, two numbers may be read as one. */
const endsNumber = (text: string, profile: Profile): boolean =>
  traceNormalisation(text, profile).some((made) => made.text.includes('ꞏ'))

test.each(languages)('the file of $name has the fields of the schema, and none twice', ({ file, path }) => {
  expect(languageSchema.safeParse(file()).error?.issues ?? []).toEqual([])
  expect(parseDocument(readFileSync(path, 'utf8')).errors).toEqual([])
})

test('has a table of pairs for every language with its own rules', () => {
  const names = languageProfiles.map(({ id }) => id.replace(/@.*/, '')).sort()
  expect(tables.map(({ name }) => name)).toEqual(names)
})

describe.each(tables)('the profile $name', ({ name, equal: allEqual, different: allDifferent }) => {
  const profile = findProfile(name)
  const [equal, different] = [
    allEqual.filter((pair) => pair.class !== numberWords),
    allDifferent.filter(({ why }) => why !== nextNumber),
  ]
  const made = (text: string): string => normalise(text, profile)
  const texts = [...equal, ...different].flatMap(({ one, other }) => [one, other])
  /** Of what is looked at text by text, one in three is enough to see whether it holds. */
  const some = texts.filter((_, at) => at % 3 === 0)
  const isLeft = (text: string): boolean => endsNumber(text, profile) || made(made(text)) === made(text)

  test('is held by at least 40 pairs that must be equal and 40 that must differ', () => {
    expect(equal.length).toBeGreaterThanOrEqual(40)
    expect(different.length).toBeGreaterThanOrEqual(40)
  })

  test.each(equal)('equates $class: “$one” and “$other”', ({ one, other }) => {
    expect(areEqual(one, other, profile)).toBe(true)
  })

  test.each(different)('distinguishes “$one” from “$other”: $why', ({ one, other }) => {
    expect(areEqual(one, other, profile)).toBe(false)
  })

  test('reads every number word as its figure, and not as the next one', () => {
    const words = allEqual.filter((pair) => !equal.includes(pair))
    expect(words.filter(({ one, other }) => !areEqual(one, other, profile))).toEqual([])
    const next = allDifferent.filter((pair) => !different.includes(pair))
    expect(next.filter(({ one, other }) => areEqual(one, other, profile))).toEqual([])
  })

  test('leaves what it has made as it is: every text of its pairs', () => {
    expect(texts.filter((text) => !isLeft(text))).toEqual([])
  })

  test('leaves what it has made as it is, where two texts of its pairs are joined', () => {
    // A word of no language between them, because two numbers in a row can be read as one.
    const joined = some.map((text, at) => `${text} zork ${texts[(at * 7 + 3) % texts.length]}`)
    expect(joined.filter((text) => !isLeft(text))).toEqual([])
  })

  test('has a pair for every stage, which fails without it', () => {
    // This stage repeats the work of others, so it would hide that one of them is missing.
    const others = profile.stages.filter(({ name: stage }) => stage !== 'numbers among numbers')
    const without = (lacking?: Stage): Profile => ({
      ...profile,
      stages: others.filter((each) => each !== lacking),
    })
    const whole = without()
    const held = equal.filter(({ one, other }) => areEqual(one, other, whole))
    const idle = others.filter((stage) => {
      const rest = without(stage)
      return (
        held.every(({ one, other }) => areEqual(one, other, rest)) &&
        different.every(({ one, other }) => !areEqual(one, other, rest))
      )
    })
    expect(idle.map((stage) => stage.name)).toEqual([])
  })

  test('leaves what it has made as it is, whatever the text holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (written) => {
        expect(isLeft(written)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  test('makes of a text stage by stage what it makes of it at once', () => {
    for (const text of some) expect(traceNormalisation(text, profile).at(-1)?.text).toBe(made(text))
  })
})

test('changes no simplified character of GB 2312 that is not a variant of another, and none twice', () => {
  // The decoder knows the larger GBK, of which these rows are GB 2312.
  const decoder = new TextDecoder('gbk')
  const rows = Array.from({ length: 0xf7 - 0xb0 + 1 }, (_, row) => row + 0xb0)
  const cells = Array.from({ length: 94 }, (_, cell) => cell + 0xa1)
  const characters = rows
    .flatMap((row) => cells.map((cell) => decoder.decode(new Uint8Array([row, cell]))))
    .filter((character) => /^\p{Script=Han}$/u.test(character))
  expect(characters).toHaveLength(6763)
  const chinese = findProfile('chinese')
  const made = (character: string): string => chinese.stages[0]?.apply(character) ?? ''
  const changed = characters.filter((character) => made(character) !== character)
  expect(changed.map((character) => character + made(character)).join(' ')).toBe(
    '乾干 著着 菸烟 拚拼 捱挨 摺折 後后 徵征 夥伙 榘矩 於于 袷夹 麴曲 醣糖 麽么',
  )
  const all = Array.from({ length: 0x9fff - 0x3400 }, (_, at) => String.fromCodePoint(0x3400 + at))
  expect(all.filter((character) => made(made(character)) !== made(character))).toEqual([])
})

test('reads a small figure at the end of a sentence as the figure inside of it', () => {
  const chinese = findProfile('chinese')
  const made = ['1.', '⒈', '.1', '10.', '1..5', '1.5'].map((text) => normalise(text, chinese))
  expect(made).toEqual(['一', '一', '一', '十', '一五', '1.5'])
})

test('brackets that are never closed keep their words, in time that grows with the text', () => {
  const brackets = findProfile('german').stages.find(({ name }) => name === 'brackets')
  expect(brackets?.apply('<a> b [c> [d')).toBe('  b   [d')
  for (const many of ['<a'.repeat(300_000), 'a ['.repeat(300_000)])
    expect(brackets?.apply(`]${many}`) === `]${many}`).toBe(true)
})

describe('a loose profile', () => {
  const errorsOf = (reference: string, hypothesis: string, name: string): number => {
    const { words } = scorePair({ reference, hypothesis }, findProfile(name))
    return errorCount(words)
  }

  test.each([
    ['german', 'Wir fahren mit der Straßenbahn', 'wir fahren mit der Strassen Bahn'],
    ['german', 'Donau Dampf Schiff', 'Donaudampfschiff'],
    ['german', 'ein großer Maßstab', 'ein grosser Massstab'],
    ['portuguese', 'o António é académico e económico', 'o Antônio é acadêmico e econômico'],
    ['portuguese', 'falámos ontem do bebé', 'falamos ontem do bebê'],
    ['arabic', 'إن الإسلام', 'ان الاسلام'],
    ['arabic', 'على المستشفى', 'علي المستشفي'],
    ['arabic', 'الاجتماع الآن في آسيا', 'الاجتماع الان في اسيا'],
  ])('of %s equates “%s” and “%s”, which the strict one does not', (name, reference, hypothesis) => {
    expect(errorsOf(reference, hypothesis, `${name}-loose`)).toBe(0)
    expect(errorsOf(reference, hypothesis, name)).toBeGreaterThan(0)
  })

  test.each([
    ['german', 'ein und zwanzig Bahnen', 'die Straßenbahn'],
    ['german', 'der Hof', 'der Bahnhof'],
    ['arabic', 'كتاب', 'كتب'],
    ['portuguese', 'a avó', 'o avô'],
  ])('of %s keeps “%s” apart from “%s”', (name, reference, hypothesis) => {
    expect(errorsOf(reference, hypothesis, `${name}-loose`)).toBeGreaterThan(0)
  })
})
