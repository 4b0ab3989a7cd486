/** What may come of a file: nothing but its sound, silence of so many seconds, or a refusal. */
export type Fate = 'sound' | 'nearly the sound' | 'refused' | { readonly silenceSeconds: number }

/** A hostile or odd file, made from the description of its format. */
export interface Animal {
  readonly name: string
  readonly fate: Fate
  /** It takes seconds to decode, and is left to `npm run validate`. */
  readonly isLong: boolean
  make(): Uint8Array
}

/** The largest file that the service takes. */
export const mostFileBytes: number = 48 * 2 ** 20

/** Files of one fate, by their names. */
export function animals(fate: Fate, makers: Readonly<Record<string, () => Uint8Array>>): Animal[] {
  const isLong = typeof fate === 'object' && fate.silenceSeconds > 600
  return Object.entries(makers).map(([name, make]) => ({ name, fate, make, isLong }))
}
