import type { EnglishSpelling } from '#contract'
import { spellingPairs } from './spelling-pairs.generated.ts'

/** The order of the letters in the table's keys. */
const englishes: readonly EnglishSpelling[] = ['american', 'british', 'canadian', 'australian']

type Table = ReadonlyMap<string, string>

/** From every other spelling to the wanted one, where there is one that is wanted and the other is not. */
function tableFor(spelling: EnglishSpelling): Table {
  const at = englishes.indexOf(spelling)
  const pairs = Object.entries(spellingPairs).flatMap(([choices, text]) =>
    text
      .trim()
      .split(/\s+/)
      .map((pair) => [choices[at], ...pair.split('/')] as const),
  )
  return new Map(
    pairs.flatMap(([choice, first = '', second = '']): [string, string][] => {
      if (choice === 'a') return [[second, first]]
      return choice === 'b' ? [[first, second]] : []
    }),
  )
}

const tables: Readonly<Record<EnglishSpelling, Table>> = {
  american: tableFor('american'),
  british: tableFor('british'),
  australian: tableFor('australian'),
  canadian: tableFor('canadian'),
}

/** Writes English as it is written there. Words keep their capitals; what is no word of the table stays as it is. */
export function spellAs(text: string, spelling: EnglishSpelling): string {
  const table = tables[spelling]
  return text.replaceAll(/\p{L}+/gu, (word) => {
    const spelled = table.get(word.toLowerCase())
    return spelled === undefined ? word : capitalisedAs(word, spelled)
  })
}

function capitalisedAs(model: string, word: string): string {
  if (model === model.toUpperCase()) return word.toUpperCase()
  const [first = ''] = model
  return first === first.toUpperCase() ? `${word.slice(0, 1).toUpperCase()}${word.slice(1)}` : word
}
