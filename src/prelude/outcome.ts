/** What a single operation came to: expected failures are values, not exceptions. */
export type Outcome<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failure }

export function succeeded<Value>(value: Value): Outcome<Value, never> {
  return { ok: true, value }
}

export function failed<Failure>(failure: Failure): Outcome<never, Failure> {
  return { ok: false, failure }
}

/** Ends a switch over a union; the compiler reports the members that were forgotten. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected ${JSON.stringify(value)}`)
}
