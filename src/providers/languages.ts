import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import data from './languages.json' with { type: 'json' }

const table = z.strictObject({
  note: z.string().optional(),
  source: z.url(),
  date: z.iso.date().describe('The day on which the list was read.'),
  unlisted: z
    .enum(['language', 'region', 'tag'])
    .describe(
      'What is sent for a language that is not in the list: the language alone, with a region, or the tag as it is.',
    ),
  codes: z
    .array(z.string())
    .describe(
      'Of several codes of one language, the one that is the general one comes first. Empty where no list is published.',
    ),
})
/** Language codes that a server accepts, as its provider publishes them. */
export type LanguageTable = DeepReadonly<z.infer<typeof table>>

const file = z.strictObject({
  whisper: table,
  groq: table,
  deepgram: table,
  elevenlabs: table,
  google: table,
  assemblyai: table,
  speechmatics: table,
  gladia: table,
  azure: table,
  aws: table,
})
export type LanguageTableName = keyof z.infer<typeof file>

export const languageTables: Readonly<Record<LanguageTableName, LanguageTable>> = file.parse(data)

/** Codes that servers use for one language: a macrolanguage or its member, an old code or its successor. */
const spellings: readonly (readonly string[])[] = [
  ['nb', 'no'],
  ['nn', 'no', 'nb'],
  ['no', 'nb'],
  ['fil', 'tl'],
  ['tl', 'fil'],
  ['jv', 'jw'],
  ['jw', 'jv'],
  ['he', 'iw'],
  ['iw', 'he'],
  ['zh', 'cmn'],
  ['cmn', 'zh'],
  // Servers without a code for Cantonese list it as the Chinese of Hong Kong.
  ['yue', 'zh-HK'],
]

/**
 * The server's code for a tag's language: `no` for `nb`, `ar-SA` for `ar-EG` where Egypt is not listed.
 * `Intl` does not canonicalise the language, because it turns Tagalog (`tl`) into Filipino (`fil`).
 *
 * @param tag BCP 47
 * @returns one of the table's codes, in its spelling; for an unlisted language, the form that `unlisted`
 * names
 */
export function findLanguageCode(tag: string, { codes, unlisted }: LanguageTable): string {
  const [language = '', ...rest] = tag.split('-')
  const primary = language.toLowerCase()
  const script = rest.find((part) => part.length === 4)
  const region = rest.find((part) => /^([a-z]{2}|\d{3})$/i.test(part))
  const { script: usualScript, region: usualRegion } = new Intl.Locale(tag).maximize()
  const names = spellings.find(([first]) => first === primary) ?? [primary]
  const candidates = [
    ...names.map((name) => joined(name, script ?? usualScript, region)),
    ...names.map((name) => joined(name, region)),
    ...names.map((name) => joined(name, script)),
    ...names,
    ...names.map((name) => joined(name, script ?? usualScript, region ?? usualRegion)),
    ...names.map((name) => joined(name, region ?? usualRegion)),
    ...names.map((name) => joined(name, new Intl.Locale(primary).maximize().region)),
  ]
  const byKey = new Map(codes.map((code) => [code.replace('_', '-').toLowerCase(), code]))
  const found = candidates.map((candidate) => byKey.get(candidate.toLowerCase()))
  const other = codes.find((code) => names.includes(code.split('-')[0] ?? ''))
  const listed = found.find((code) => code !== undefined) ?? other
  if (listed !== undefined) return listed
  if (unlisted === 'tag') return tag
  return unlisted === 'language' ? primary : joined(primary, region ?? usualRegion)
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('-')
}
