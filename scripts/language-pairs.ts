import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

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

const englishPairs = z.strictObject({
  equal: z.array(z.strictObject({ class: z.string(), one: z.string(), other: z.string() })),
  different: z.array(z.strictObject({ one: z.string(), other: z.string(), why: z.string() })),
  third: z
    .array(z.strictObject({ class: z.string(), one: z.string(), other: z.string(), same: z.boolean() }))
    .describe('What the third version changed.'),
  makes: z
    .array(z.tuple([z.string(), z.string()]))
    .describe('Texts, and what the newest version makes of them.'),
})

/** The tables of English, which has published profiles to be compared with. */
export function readEnglishPairs(): z.infer<typeof englishPairs> {
  const file = new URL('../tests/scoring/fixtures/english-pairs.json', import.meta.url)
  return englishPairs.parse(JSON.parse(readFileSync(file, 'utf8')))
}
