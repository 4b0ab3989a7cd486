import { lazily } from '#prelude'
import { type SpokenLanguage, spokenLanguageProfile } from '../language-rules/spoken-language.ts'
import { defineProfile, type Profile, type ProfileDefinition, type Stage } from '../profile.ts'
import { arabic } from './arabic.ts'
import { german } from './german.ts'

/** Languages with options on that hide what a listener can hear: for texts that are written so. */
export const looseProfiles: readonly Profile[] = [
  looseProfile(german, [[/ß/g, 'ss']], {
    example: ['maße', 'masse'],
    purpose:
      'German speech as german scores it; ß and ss, and compounds in one word or several, do not count either.',
    pairing: 'compounds',
    quirks: [
      'Words that differ in ß alone are one: in Maßen, in Massen.',
      'Any neighbours that are joined to a word of the other side are right: zusammen schreiben, zusammenschreiben.',
    ],
  }),
  looseProfile(
    arabic,
    [
      [/[إآ]/g, 'ا'],
      [/ى/g, 'ي'],
    ],
    {
      example: ['إلى', 'الي'],
      purpose:
        'Arabic speech as arabic scores it; hamza, madda and the dots of a final ya do not count either.',
      quirks: ['Words that differ in them alone are one: أن and إن, على and علي.'],
    },
  ),
]

/** A profile that folds more: before the stages, so that they meet one form, and after them for what they write. */
function looseProfile(
  language: SpokenLanguage,
  folds: readonly (readonly [pattern: RegExp, to: string])[],
  { example, ...rest }: Pick<Stage, 'example'> & Pick<ProfileDefinition, 'purpose' | 'pairing' | 'quirks'>,
): Profile {
  const fold: Stage = {
    name: 'loose letters',
    does: 'Letters that some texts write otherwise become one.',
    example,
    settings: folds.map(([pattern, to]) => [pattern.source, to]),
    apply: (text) => folds.reduce((result, [pattern, to]) => result.replace(pattern, to), text),
  }
  const stages = lazily(() => [
    fold,
    ...spokenLanguageProfile(language).stages,
    { ...fold, name: 'loose letters of words' },
  ])
  return defineProfile({
    id: language.id.replace('@', '-loose@'),
    version: 1,
    get stages() {
      return stages()
    },
    words: 'spaces',
    ...rest,
  })
}
