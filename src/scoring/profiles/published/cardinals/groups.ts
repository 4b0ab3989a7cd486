/** Spells a whole number, as num2words does. */
export type Cardinal = (digits: string) => string

/** Groups of three digits, the highest first: 1234567 is 1, 234 and 567. */
export function groupsOf(digits: string): number[] {
  const whole = digits.replace(/^0+(?=\d)/, '')
  const first = whole.length % 3 || 3
  const groups = [Number(whole.slice(0, first))]
  for (let at = first; at < whole.length; at += 3) groups.push(Number(whole.slice(at, at + 3)))
  return groups
}

/** The words that are not empty, one space apart. */
export function spaced(...words: readonly string[]): string {
  return words.filter((word) => word !== '').join(' ')
}

/** Words by their number: of a list that begins at nought. */
export function wordsOf(list: string): readonly string[] {
  return list.split(' ')
}

/** Where a language has a name for every third power of ten: the groups, each with the name of its power. */
export function spellGroups(
  digits: string,
  zero: string,
  spell: (group: number, power: number) => string,
): string {
  const groups = groupsOf(digits)
  if (groups.length === 1 && groups[0] === 0) return zero
  return spaced(...groups.map((group, at) => (group === 0 ? '' : spell(group, groups.length - 1 - at))))
}

/** Where only every sixth power of ten has a name: the number in parts of six digits, each with its power. */
export function spellMillions<Spelt>(
  digits: string,
  spell: (part: { readonly thousands: number; readonly rest: number }, power: number) => Spelt,
): Spelt[] {
  const groups = groupsOf(digits)
  if (groups.length % 2 === 1) groups.unshift(0)
  const written: Spelt[] = []
  for (let at = 0; at < groups.length; at += 2) {
    const part = { thousands: groups[at] as number, rest: groups[at + 1] as number }
    if (part.thousands !== 0 || part.rest !== 0) written.push(spell(part, (groups.length - 2 - at) / 2))
  }
  return written
}
