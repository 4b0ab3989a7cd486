import type { LanguageFile } from './language-schema.ts'

/** Writes the words of its lists where a file refers to them: `@{months}` alone among words, or inside a pattern. */
export function expandLists(file: LanguageFile): LanguageFile {
  const lists = file.lists ?? {}
  const wordsOf = (name: string): readonly string[] => (lists[name] ?? []).flatMap(expandWord)
  const expandWord = (word: string): readonly string[] => {
    const name = /^@\{(\w+)\}$/.exec(word)?.[1]
    return name === undefined ? [word] : wordsOf(name)
  }
  const expand = (value: unknown): unknown => {
    if (typeof value === 'string')
      return value.replace(/@\{(\w+)\}/g, (_, name: string) => wordsOf(name).join('|'))
    if (Array.isArray(value))
      return value.flatMap((each) => (typeof each === 'string' ? expandWord(each) : [each])).map(expand)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expand(each)]))
  }
  return expand(file) as LanguageFile
}

/** A pattern of a file; those without classes of Unicode are faster without its mode. */
export function patternOf(source: string): RegExp {
  return new RegExp(source, source.includes('\\p{') ? 'gu' : 'g')
}

/** Forms of a word by the number before it, in one of the orders below; one form is invariable. */
export type CountedForms = string | readonly string[]

const orders = [
  [],
  ['other'],
  ['one', 'other'],
  ['one', 'few', 'other'],
  ['one', 'few', 'many', 'other'],
  ['one', 'two', 'few', 'many', 'other'],
]

const maxRemembered = 1000

/** Chooses the form that goes with a number, by the plural rules of Unicode's CLDR. */
export function formChooser(language: string): (forms: CountedForms, figure: string) => string {
  let rules: Intl.PluralRules | null = null
  // Numbers recur, and the rules take long to ask.
  const categoryByCount = new Map<number, Intl.LDMLPluralRule>()
  return (forms, figure) => {
    if (typeof forms === 'string') return forms
    rules ??= new Intl.PluralRules(language)
    const count = Number(figure.replace(',', '.'))
    const category = categoryByCount.get(count) ?? rules.select(count)
    if (categoryByCount.size >= maxRemembered) categoryByCount.clear()
    categoryByCount.set(count, category)
    const at = orders[forms.length]?.indexOf(category) ?? -1
    return forms.at(at) as string
  }
}

export function listForms(forms: CountedForms): readonly string[] {
  return typeof forms === 'string' ? [forms] : forms
}
