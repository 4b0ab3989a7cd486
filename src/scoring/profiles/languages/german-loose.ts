import { lazily } from '#prelude'
import { spokenLanguageProfile } from '../language-rules/spoken-language.ts'
import { defineProfile, type Profile, type Stage } from '../profile.ts'
import { german } from './german.ts'

const sharpS: Stage = {
  name: 'ß',
  does: 'ß becomes ss, as Switzerland writes it.',
  example: ['maße', 'masse'],
  settings: 'ss',
  apply: (text) => text.replaceAll('ß', 'ss'),
}

const stages = lazily(() => [...spokenLanguageProfile(german).stages, sharpS])

/** German with its two options on: ß is ss, and compounds may be written in several words. */
export const germanLoose: Profile = defineProfile({
  id: 'german-loose@1',
  version: 1,
  purpose:
    'German speech as german scores it; ß and ss, and compounds in one word or several, do not count either.',
  get stages() {
    return stages()
  },
  words: 'spaces',
  pairing: 'compounds',
  quirks: [
    'Words that differ in ß alone are one: in Maßen, in Massen.',
    'Any neighbours that are joined to a word of the other side are right: zusammen schreiben, zusammenschreiben.',
  ],
})
