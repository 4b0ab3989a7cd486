import { formMark } from '../readings.ts'

/** A whole and its parts, said one after another: euros and cents, hours and minutes. */
export interface Pair {
  readonly whole: ReadonlySet<string>
  readonly part: ReadonlySet<string>
  readonly between: ReadonlySet<string>
  readonly largest: number
}

export function isFigure(token: string | undefined): token is string {
  return startsWithDigit(token) && (isWhole(token) || /^\d+(?:[.,]\d+)?[ºª]?$/.test(token))
}

export function isWhole(token: string | undefined): token is string {
  if (token === undefined || token === '') return false
  for (let at = 0; at < token.length; at += 1) if (!isDigit(token.charCodeAt(at))) return false
  return true
}

/** Most words are not figures, and their first character shows it faster than a pattern. */
export function startsWithDigit(token: string | undefined): token is string {
  return token !== undefined && isDigit(token.charCodeAt(0))
}

/** Whether a UTF-16 code unit is a digit. */
function isDigit(code: number): boolean {
  return code >= zero && code <= nine
}

const [zero, nine] = [0x30, 0x39]

const spokenForm = new RegExp(`${formMark}.*`)

/** `5 euro und 50 cent` is `5 euro 50`. */
export function joinPair(
  tokens: readonly string[],
  { whole, part, between, largest }: Pair,
): readonly string[] {
  if (!tokens.some((token) => whole.has(token))) return tokens
  const written: string[] = []
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as string
    written.push(token)
    if (!whole.has(token) || !isWhole(tokens[at - 1]?.replace(spokenForm, ''))) continue
    const hasBetween = between.has(tokens[at + 1] ?? '')
    const amountAt = hasBetween ? at + 2 : at + 1
    const amount = tokens[amountAt]
    const hasPart = part.has(tokens[amountAt + 1] ?? '')
    if (!isWhole(amount) || Number(amount) > largest || !hasPart) continue
    written.push(amount)
    at = amountAt + 1
  }
  return written
}

/** Joins the two halves of a year: nineteen eighty-four, which is 19 84 by then, becomes 1984. */
export function joinYears(tokens: readonly string[]): readonly string[] {
  const written: string[] = []
  for (const token of tokens) {
    const century = written.at(-1) ?? ''
    const isYear = token.length === 2 && !token.startsWith('0') && isWhole(token)
    if (isYear && /^(?:1[1-9]|20)$/.test(century)) written[written.length - 1] = century + token
    else written.push(token)
  }
  return written
}

/** `1 000 000` is one number, written with spaces. */
export function joinGroups(tokens: readonly string[]): readonly string[] {
  const written: string[] = []
  let isOpen = false
  for (const token of tokens) {
    const joins: boolean = isOpen && isGroup(token)
    if (joins) written[written.length - 1] += token
    else written.push(token)
    isOpen = joins ? isWhole(token) : token.length < 4 && !token.startsWith('0') && isWhole(token)
  }
  return written
}

/** Three digits, which can be the thousands' rest. */
export function isGroup(token: string): boolean {
  return token.length > 2 && /^\d{3}(?:[.,]\d+)?$/.test(token)
}
