import { z } from 'zod'
import type { DeepReadonly } from '#prelude'

/** What may be at a key, and what it means. */
export interface Description {
  readonly description: string
  readonly expects: string
  /** What to write instead of a value that is wrong; null where nothing is near. */
  readonly advise?: ((value: unknown) => string | null) | undefined
}

/** Parsers by key; a group of keys nests them. */
export interface FileParsers {
  readonly [key: string]: z.ZodType | FileParsers
}

/** An object as a file holds it: every key may be left out. */
export type FileOf<Parsers> = {
  readonly [Key in keyof Parsers]?:
    | (Parsers[Key] extends z.ZodType ? DeepReadonly<z.infer<Parsers[Key]>> : FileOf<Parsers[Key]>)
    | undefined
}

interface FileWords<Parsers> {
  /** Of each key; of a group, those of its keys. */
  readonly keys: { readonly [Key in keyof Parsers]: unknown }
  /** Values of keys that are left out. */
  readonly defaults?: { readonly [Key in keyof Parsers]?: unknown } | undefined
  /** What each group means. */
  readonly groups?: Readonly<Record<string, string>> | undefined
}

/** Parser of such an object. Strict: unknown keys are problems. */
export function fileObject<Parsers extends FileParsers>(
  parsers: Parsers,
  { keys, defaults = {}, groups = {} }: FileWords<Parsers>,
): z.ZodType<FileOf<Parsers>> {
  const shape = Object.entries(parsers).map(([key, parser]) => {
    const [words, standard] = [keys[key], defaults[key]]
    if (!(parser instanceof z.ZodType)) {
      const group = fileObject(parser, { keys: words as FileParsers, defaults: standard as FileParsers })
      return [key, group.optional().meta({ description: groups[key] })]
    }
    const { description } = words as Description
    const meaning = standard === undefined ? { description } : { description, default: standard }
    return [key, parser.optional().meta(meaning)]
  })
  // The keys are those of `parsers`, which the compiler cannot see through `Object.entries`.
  return z.strictObject(Object.fromEntries(shape)) as unknown as z.ZodType<FileOf<Parsers>>
}
