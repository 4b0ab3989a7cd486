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

export function animal(name: string, fate: Fate, make: () => Uint8Array): Animal {
  return { name, fate, make, isLong: typeof fate === 'object' && fate.silenceSeconds > 600 }
}
