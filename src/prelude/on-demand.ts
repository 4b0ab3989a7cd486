/** Runs a computation when its value is first asked for, and keeps the value. */
export function lazily<Value>(compute: () => Value): () => Value {
  let held: { readonly value: Value } | null = null
  return () => {
    held ??= { value: compute() }
    return held.value
  }
}

/**
 * An object whose fields are made when they are first asked for, and then kept: a figure that is never read costs
 * nothing. To copy it, or to hand it to another thread, is to ask for all.
 *
 * @param makers one for each field, in the order in which the object is to have them; undefined for an optional field that it lacks
 */
export function onDemand<Made extends object>(
  makers: {
    readonly [Field in keyof Made]-?:
      | (() => Made[Field])
      | (undefined extends Made[Field] ? undefined : never)
  },
): Made {
  const made = {}
  for (const field of Object.keys(makers) as (keyof Made)[]) {
    const make = makers[field]
    if (make === undefined) continue
    Object.defineProperty(made, field, {
      enumerable: true,
      configurable: true,
      get() {
        const value = make()
        Object.defineProperty(made, field, { value, enumerable: true, configurable: false })
        return value
      },
    })
  }
  return made as Made
}
