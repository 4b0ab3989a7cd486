import { type SpokenLanguage, spokenLanguageProfile } from '../language-rules/spoken-language.ts'
import type { Profile } from '../profile.ts'
import { arabic } from './arabic.ts'
import { bengali } from './bengali.ts'
import { burmese } from './burmese.ts'
import { chinese } from './chinese.ts'
import { czech } from './czech.ts'
import { danish } from './danish.ts'
import { dutch } from './dutch.ts'
import { finnish } from './finnish.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { gujarati } from './gujarati.ts'
import { hebrew } from './hebrew.ts'
import { hindi } from './hindi.ts'
import { italian } from './italian.ts'
import { japanese } from './japanese.ts'
import { kannada } from './kannada.ts'
import { khmer } from './khmer.ts'
import { korean } from './korean.ts'
import { lao } from './lao.ts'
import { malayalam } from './malayalam.ts'
import { marathi } from './marathi.ts'
import { norwegian } from './norwegian.ts'
import { persian } from './persian.ts'
import { polish } from './polish.ts'
import { portuguese } from './portuguese.ts'
import { punjabi } from './punjabi.ts'
import { russian } from './russian.ts'
import { spanish } from './spanish.ts'
import { swedish } from './swedish.ts'
import { tamil } from './tamil.ts'
import { telugu } from './telugu.ts'
import { thai } from './thai.ts'
import { turkish } from './turkish.ts'
import { ukrainian } from './ukrainian.ts'
import { urdu } from './urdu.ts'
import { vietnamese } from './vietnamese.ts'

/** Languages that have rules besides English. */
export const languages: readonly SpokenLanguage[] = [
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
  chinese,
  japanese,
  korean,
  thai,
  lao,
  khmer,
  burmese,
  hindi,
  bengali,
  tamil,
  telugu,
  malayalam,
  kannada,
  punjabi,
  gujarati,
  marathi,
  arabic,
  persian,
  urdu,
  hebrew,
  vietnamese,
]

export const languageProfiles: readonly Profile[] = languages.map(spokenLanguageProfile)

/** The profile of a language by its code, as `Intl.Locale` writes it: `de`. */
export const profileOfLanguage: ReadonlyMap<string, Profile> = new Map(
  languages.map(({ language }, at): [string, Profile] => [language, languageProfiles[at] as Profile]),
)
