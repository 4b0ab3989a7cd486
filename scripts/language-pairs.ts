import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Pairs of texts that a profile must make equal, and pairs that it must keep apart. */
export interface LanguagePairs {
  /** The profile without its version: `german`. */
  readonly name: string
  readonly equal: readonly { readonly class: string; readonly one: string; readonly other: string }[]
  readonly different: readonly { readonly one: string; readonly other: string; readonly why: string }[]
}

const folder = join(import.meta.dirname, '../tests/scoring/fixtures/languages')

/**
 * The tables of all languages, by name. A line is `= class | one | other` or `! one | other | why`, or `# class | 26 twenty-six, …`: each
 * word is its figure, and not the next one.
 *
 * @throws Error for a line of another form
 */
export function readLanguagePairs(): readonly LanguagePairs[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .sort()
    .map((file) => ({ name: file.replace('.txt', ''), ...readPairs(join(folder, file)) }))
}

/**
 * The table of one file.
 *
 * @throws Error for a line of another form
 */
export function readPairs(file: string | URL): Omit<LanguagePairs, 'name'> {
  const rows = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap(pairsOfSeries)
    .map((line, index) => {
      const [first, second, third] = line.slice(2).split(' | ')
      if (!/^[=!] /.test(line) || first === undefined || second === undefined || third === undefined) {
        throw new Error(`${file}:${index + 1} is no pair: ${line}`)
      }
      return { isEqual: line.startsWith('='), parts: [first, second, third] as const }
    })
  return {
    equal: rows
      .filter(({ isEqual }) => isEqual)
      .map(({ parts: [kind, one, other] }) => ({ class: kind, one, other })),
    different: rows
      .filter(({ isEqual }) => !isEqual)
      .map(({ parts: [one, other, why] }) => ({ one, other, why })),
  }
}

/** The class of the pairs of a series. */
export const numberWords = 'number words'
/** Why a word of a series is kept apart from the figure after its own. */
export const nextNumber = 'the next number'

function pairsOfSeries(line: string): string[] {
  if (!line.startsWith('# ')) return [line]
  const [kind = '', all = ''] = line.slice(2).split(' | ')
  return all.split(', ').flatMap((entry) => {
    const [figure = '', ...words] = entry.split(' ')
    const said = words.join(' ')
    return [`= ${kind} | ${figure} | ${said}`, `! ${said} | ${Number(figure) + 1} | ${nextNumber}`]
  })
}
