/** A figure, or the reason why there is none. Absent is never 0. */
export type Figure<Present> = Present | { readonly value: null; readonly reason: string }
