/** The result of an operation: expected failures are values, not exceptions. */
export type Outcome<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failure }

export function succeeded<Value>(value: Value): Outcome<Value, never> {
  return { ok: true, value }
}

export function failed<Failure>(failure: Failure): Outcome<never, Failure> {
  return { ok: false, failure }
}

/** Ends a switch over a union; the compiler reports members that have no case. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected ${JSON.stringify(value)}`)
}

/** Whether a promise is fulfilled. */
export function succeeds(underWay: Promise<unknown>): Promise<boolean> {
  return underWay.then(
    () => true,
    () => false,
  )
}

/**
 * The value of a key that a user gives. Plain indexing finds what every object inherits, such as `constructor`.
 */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Runs a computation on the first call and keeps its value. */
export function lazily<Value>(compute: () => Value): () => Value {
  let held: { readonly value: Value } | null = null
  return () => {
    held ??= { value: compute() }
    return held.value
  }
}

/**
 * An object whose fields are computed on first access and then kept, so that an unused field costs nothing.
 * Copying the object, or sending it to another thread, computes all fields.
 *
 * @param makers one for each field, in the object's order; undefined for an optional field that it lacks
 */
export function onDemand<Made extends object>(
  makers: {
    readonly [Field in keyof Made]-?:
      | (() => Made[Field])
      | (undefined extends Made[Field] ? undefined : never)
  },
): Made {
  const object = {}
  for (const field of Object.keys(makers) as (keyof Made)[]) {
    const make = makers[field]
    if (make === undefined) continue
    Object.defineProperty(object, field, {
      enumerable: true,
      configurable: true,
      get() {
        const value = make()
        Object.defineProperty(object, field, { value, enumerable: true, configurable: false })
        return value
      },
    })
  }
  return object as Made
}

/**
 * A value that is read-only at any depth: the type of a document, made from its schema.
 *
 *   export type ErrorRate = DeepReadonly<z.infer<typeof errorRateSchema>>
 */
export type DeepReadonly<Value> = Value extends string
  ? Value
  : { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }

/** The fields that have a value, because documents omit a field without one. */
export function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>
}

type Defined<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key]
} & { [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined> }
