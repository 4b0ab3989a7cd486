/** Texts by number, each kept once however often it is said. */
export interface TextCodes {
  /** Every text at the place of its number. */
  readonly texts: readonly string[]
  /** Numbers for the texts of one column. Columns repeat themselves, so the text that followed last time is looked at first. */
  column(): (text: string) => number
}

export function textCodes(): TextCodes {
  const codes = new Map<string, number>()
  const texts: string[] = []
  const codeOf = (text: string): number => {
    const known = codes.get(text)
    if (known !== undefined) return known
    const code = texts.length
    codes.set(text, code)
    texts.push(text)
    return code
  }
  return {
    texts,
    column() {
      const followers: number[] = []
      let last = 0
      return (text) => {
        const expected = followers[last]
        const code = expected !== undefined && texts[expected] === text ? expected : codeOf(text)
        while (followers.length <= last) followers.push(0)
        followers[last] = code
        last = code
        return code
      }
    },
  }
}

/** Values that many lines have in common, each kept once. */
export interface SharedValues<Value> {
  codeOf(value: Value): number
  readonly values: readonly Value[]
}

/** @param isSame whether two values are one; asked of the value that was met last, which is mostly the same */
export function sharedValues<Value>(isSame: (a: Value, b: Value) => boolean): SharedValues<Value> {
  const codes = new Map<string, number>()
  const values: Value[] = []
  let last = -1
  return {
    values,
    codeOf(value) {
      const before = values[last]
      if (before !== undefined && isSame(before, value)) return last
      const key = JSON.stringify(value)
      last = codes.get(key) ?? values.length
      if (last === values.length) {
        codes.set(key, last)
        values.push(value)
      }
      return last
    },
  }
}
