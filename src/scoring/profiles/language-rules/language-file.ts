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
