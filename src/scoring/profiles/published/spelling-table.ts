/** Reads a generated table of `from>to` lines. A target may hold `>`; a source never does. */
export function readTable(lines: string): Map<string, string> {
  const table = new Map<string, string>()
  for (const line of lines.trim().split('\n')) {
    const arrow = line.indexOf('>')
    table.set(line.slice(0, arrow), line.slice(arrow + 1))
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
