import { lazily } from '#prelude'
import { expandLists } from '../language-rules/language-file.ts'
import type { LanguageFile } from '../language-rules/language-schema.ts'
import {
  looseProfile,
  type SpokenLanguage,
  spokenLanguageProfile,
} from '../language-rules/spoken-language.ts'
import { type Profile, profileName } from '../profile.ts'
import { readLanguage } from './read-language.ts'

/** Languages that have rules besides English, in a file of this folder: its name, the version of its rules, BCP 47. */
const registry = `
german@1 de; french@1 fr; spanish@1 es; italian@1 it; portuguese@1 pt; dutch@1 nl; polish@1 pl; swedish@1 sv; danish@1 da;
norwegian@1 nb; finnish@1 fi; czech@1 cs; russian@1 ru; ukrainian@1 uk; turkish@1 tr; chinese@1 zh; japanese@1 ja; korean@1 ko;
thai@1 th; lao@1 lo; khmer@1 km; burmese@1 my; hindi@1 hi; bengali@1 bn; tamil@1 ta; telugu@1 te; malayalam@1 ml; kannada@1 kn;
punjabi@1 pa; gujarati@1 gu; marathi@1 mr; arabic@1 ar; persian@1 fa; urdu@1 ur; hebrew@1 he; vietnamese@1 vi`

/** Languages whose file has a second profile on request. */
const withLooseProfile = ['german', 'arabic', 'portuguese']

/** A language with rules besides English. What it holds is read when it is first used. */
export interface RuledLanguage {
  /** The name of its file and the version of its rules: `german@1`. */
  readonly id: string
  readonly name: string
  /** The path of its file, in a checkout. */
  readonly path: string
  /** BCP 47. */
  readonly language: string
  /** As it was written. */
  file(): LanguageFile
  rules(): SpokenLanguage
}

export const languages: readonly RuledLanguage[] = registry.split(';').map((entry) => {
  const [id = '', language = ''] = entry.trim().split(' ')
  const name = profileName(id)
  const path = `src/scoring/profiles/languages/${name}.yaml`
  const file = lazily(() => readLanguage(name))
  return { id, name, path, language, file, rules: lazily(() => ({ ...expandLists(file()), id, language })) }
})

export const languageProfiles: readonly Profile[] = languages.map(({ id, rules }) =>
  spokenLanguageProfile(id, rules),
)

export const looseProfiles: readonly Profile[] = languages
  .filter(({ name }) => withLooseProfile.includes(name))
  .map(({ id, rules }) => looseProfile(id, rules))

/** The profile of a language by its code, as `Intl.Locale` writes it: `de`. */
export const profileOfLanguage: ReadonlyMap<string, Profile> = new Map(
  languages.map(({ language }, at): [string, Profile] => [language, languageProfiles[at] as Profile]),
)
