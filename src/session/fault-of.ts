/** What a promise is rejected with; null where it is not. */
export function faultOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  )
}
