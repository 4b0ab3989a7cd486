/**
 * Reads a generated table of `from>to` lines, or of `start(from>to` where both begin with `start`. A target may
 * hold `>`; a source never does.
 */
export function readTable(lines: string): Map<string, string> {
  const table = new Map<string, string>()
  for (const line of lines.trim().split('\n')) {
    const start = line.slice(0, Math.max(0, line.indexOf('(')))
    const ends = line.slice(line.indexOf('(') + 1)
    const arrow = ends.indexOf('>')
    table.set(start + ends.slice(0, arrow), start + ends.slice(arrow + 1))
  }
  return table
}

/** Runs a computation when its value is first asked for, and keeps the value. */
export function lazily<Value>(compute: () => Value): () => Value {
  let held: { readonly value: Value } | null = null
  return () => {
    held ??= { value: compute() }
    return held.value
  }
}
