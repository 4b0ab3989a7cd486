import { type SpokenLanguage, spokenLanguageProfile } from '../language-rules/spoken-language.ts'
import type { Profile } from '../profile.ts'
import { czech } from './czech.ts'
import { danish } from './danish.ts'
import { dutch } from './dutch.ts'
import { finnish } from './finnish.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { italian } from './italian.ts'
import { norwegian } from './norwegian.ts'
import { polish } from './polish.ts'
import { portuguese } from './portuguese.ts'
import { russian } from './russian.ts'
import { spanish } from './spanish.ts'
import { swedish } from './swedish.ts'
import { turkish } from './turkish.ts'
import { ukrainian } from './ukrainian.ts'

/** Languages that have rules of their own besides English. */
const languages: readonly SpokenLanguage[] = [
  german,
  french,
  spanish,
  italian,
  portuguese,
  dutch,
  polish,
  swedish,
  danish,
  norwegian,
  finnish,
  czech,
  russian,
  ukrainian,
  turkish,
]

export const languageProfiles: readonly Profile[] = languages.map(spokenLanguageProfile)

/** The profile of a language by its code, as `Intl.Locale` writes it: `de`. */
export const profileOfLanguage: ReadonlyMap<string, Profile> = new Map(
  languages.map(({ language }, at): [string, Profile] => [language, languageProfiles[at] as Profile]),
)
