/** Texts of which every match of a pattern holds at least one; null where none are known, or too many. */
export function neededTexts({ source, flags }: RegExp): readonly string[] | null {
  return flags.includes('i') ? null : alternatives([...source], 0).needed
}

/**
 * Whether a pattern can be in a text, by the texts that it needs: most texts have none of them, and looking for a text takes a
 * small part of the time that a pattern takes.
 */
export function mayMatch(pattern: RegExp): (text: string) => boolean {
  const needed = neededTexts(pattern)
  if (needed === null) return () => true
  const [first = '', ...others] = needed
  if (others.length === 0) return (text) => text.includes(first)
  // One pattern for all texts takes less time than to look for two of them.
  const any = new RegExp(needed.map((part) => part.replace(/[^\p{L}\d]/gu, '\\$&')).join('|'))
  return (text) => any.test(text)
}

/** A rewrite of the texts that may hold its pattern. */
export function rewriteOf(pattern: RegExp, said: string): (text: string) => string {
  const isPossible = mayMatch(pattern)
  return (text) => (isPossible(text) ? text.replace(pattern, said) : text)
}

/** A pattern that is not after a character. That is looked at last, because it would be looked at in every place of a text. */
export function lateBounded(character: string, pattern: string): string {
  return `${pattern}(?<=(?<!${character})${pattern})`
}

/** More take longer to look for than most patterns. */
const maxTexts = 8

type Needed = readonly string[] | null

interface Parsed {
  readonly needed: Needed
  /** After the part. */
  readonly end: number
}

/** Branches up to the end of their group; each needs something, or the whole needs nothing. */
function alternatives(source: readonly string[], from: number): Parsed {
  const branches: Needed[] = []
  let at = from
  for (;;) {
    const branch = sequence(source, at)
    branches.push(branch.needed)
    at = branch.end
    if (source[at] !== '|') break
    at += 1
  }
  const all = branches.flatMap((needed) => needed ?? [])
  return { needed: branches.includes(null) || all.length > maxTexts ? null : all, end: at }
}

/** The rarest of all texts that a sequence needs. */
function sequence(source: readonly string[], from: number): Parsed {
  const candidates: (readonly string[])[] = []
  let literal = ''
  const endLiteral = (): void => {
    if (literal !== '') candidates.push([literal])
    literal = ''
  }
  let at = from
  while (at < source.length && source[at] !== '|' && source[at] !== ')') {
    const { text, needed, end } = atom(source, at)
    const { least, end: next } = quantifier(source, end)
    if (text === null || least === 0 || next > end) {
      if (text !== null && least > 0) literal += text
      endLiteral()
      if (text === null && needed !== null && least > 0) candidates.push(needed)
    } else literal += text
    at = next
  }
  endLiteral()
  const [best = null] = candidates
    .filter((texts) => texts.length > 0 && texts.every(isRare))
    .sort((a, b) => a.length - b.length || shortest(b) - shortest(a))
  return { needed: best, end: at }
}

/** Most texts hold a space, and most letters. */
function isRare(text: string): boolean {
  return text.trim().length > 1 || /[^\sa-z\d]/.test(text)
}

function shortest(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length))
}

interface Atom extends Parsed {
  /** A character that stands for itself. */
  readonly text: string | null
}

function atom(source: readonly string[], at: number): Atom {
  const character = source[at] as string
  if (character === '\\') return escaped(source, at)
  if (character === '[') return characterClass(source, at)
  if (character === '(') return group(source, at)
  return { text: '.^$'.includes(character) ? null : character, needed: null, end: at + 1 }
}

/** Marks are escaped to stand for themselves; letters and digits mean something else then. */
function escaped(source: readonly string[], at: number): Atom {
  const character = source[at + 1] ?? ''
  if (!/[\p{L}\d]/u.test(character)) return { text: character, needed: null, end: at + 2 }
  const rest = source.slice(at + 2, at + 40).join('')
  const length = /^(?:p|P|k)$/.test(character) || rest.startsWith('{') ? rest.indexOf('}') + 1 : 0
  const digits = character === 'u' && length === 0 ? 4 : character === 'x' ? 2 : 0
  return { text: null, needed: null, end: at + 2 + length + digits }
}

/** A few characters that stand for themselves are alternatives. */
function characterClass(source: readonly string[], at: number): Atom {
  let end = at + 1
  while (source[end] !== ']') end += source[end] === '\\' ? 2 : 1
  const inside = source.slice(at + 1, end)
  const isPlain = inside.every(
    (character, index) =>
      !'^\\'.includes(character) && (character !== '-' || index === 0 || index === inside.length - 1),
  )
  return { text: null, needed: isPlain && inside.length <= 6 ? inside : null, end: end + 1 }
}

/** What is looked for ahead or behind is needed too; what must not be there is not. */
function group(source: readonly string[], at: number): Atom {
  const [opening = '('] = /^\((?:\?(?:<?[=!]|:|<[^>]*>))?/.exec(source.slice(at, at + 40).join('')) ?? []
  const { needed, end } = alternatives(source, at + [...opening].length)
  return { text: null, needed: opening.endsWith('!') ? null : needed, end: end + 1 }
}

/** How often at least, and where what follows begins. */
function quantifier(source: readonly string[], at: number): { readonly least: number; readonly end: number } {
  const [all = '', count] = /^(?:[?*+]|\{(\d+)(?:,\d*)?\})\??/.exec(source.slice(at, at + 12).join('')) ?? []
  if (all === '') return { least: 1, end: at }
  const least = count === undefined ? (all.startsWith('+') ? 1 : 0) : Number(count)
  return { least, end: at + all.length }
}
