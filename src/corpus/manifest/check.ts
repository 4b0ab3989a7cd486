/** A value that passed its check, or what is wrong with it, in words. */
export type Check<Value> = { readonly value: Value } | { readonly problem: string }
