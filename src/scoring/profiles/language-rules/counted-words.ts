/**
 * Forms of a word by the number before it, as `one|few|many|other`, or with the dual `one|two|few|many|other`; two forms are
 * `one|other`; one form is invariable.
 */
export type CountedForms = string

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
  const known = new Map<number, Intl.LDMLPluralRule>()
  return (forms, figure) => {
    const all = forms.split('|')
    if (all.length === 1) return forms
    rules ??= new Intl.PluralRules(language)
    const count = Number(figure.replace(',', '.'))
    const category = known.get(count) ?? rules.select(count)
    if (known.size >= maxRemembered) known.clear()
    known.set(count, category)
    const at = orders[all.length]?.indexOf(category) ?? -1
    return all.at(at) ?? forms
  }
}

/** `km kilometre|kilometres; m metre|metres` by the word or sign before the forms. */
export function readForms(table: string): ReadonlyMap<string, CountedForms> {
  return new Map(
    table
      .split(';')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map((entry): [string, string] => {
        const at = entry.indexOf(' ')
        return [entry.slice(0, at), entry.slice(at + 1).trim()]
      }),
  )
}
