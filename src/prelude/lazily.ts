/** Runs a computation when its value is first asked for, and keeps the value. */
export function lazily<Value>(compute: () => Value): () => Value {
  let held: { readonly value: Value } | null = null
  return () => {
    held ??= { value: compute() }
    return held.value
  }
}
