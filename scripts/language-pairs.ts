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
 * The tables of all languages, by name. A line is `= class | one | other` or `! one | other | why`.
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
