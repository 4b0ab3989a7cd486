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
  const known = new Map<number, Intl.LDMLPluralRule>()
  return (forms, figure) => {
    if (typeof forms === 'string') return forms
    rules ??= new Intl.PluralRules(language)
    const count = Number(figure.replace(',', '.'))
    const category = known.get(count) ?? rules.select(count)
    if (known.size >= maxRemembered) known.clear()
    known.set(count, category)
    const at = orders[forms.length]?.indexOf(category) ?? -1
    return forms.at(at) as string
  }
}

export function listForms(forms: CountedForms): readonly string[] {
  return typeof forms === 'string' ? [forms] : forms
}
