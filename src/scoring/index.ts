/**
 * Text to error counts: make two texts comparable, cut them into words and characters, align, count, divide.
 * Never reads files, the clock or the locale, never rounds; runs in a browser as it does in Node.
 *
 *   const profile = findProfile('basic')
 *   const { words } = scorePair({ reference: 'The cat sat.', hypothesis: 'the cat sad' }, profile)
 *   errorRate(words)                                              // 0.333…
 */
export * from './counting.ts'
export { englishDifferences } from './profiles/english/english-1.ts'
export {
  defaultCorpusProfile,
  defaultProfile,
  findProfile,
  findRecordedProfile,
  languageRules,
  profileNames,
  profiles,
} from './profiles/index.ts'
export { wordsLeft } from './profiles/words-left.ts'
