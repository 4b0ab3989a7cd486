import { defineProfile, type Profile } from './profile.ts'
import { collapseWhitespace } from './shared-stages.ts'

/** Case and punctuation count: only runs of whitespace become one space. */
export const verbatim: Profile = defineProfile({
  id: 'verbatim',
  version: 1,
  purpose: 'What was written, letter for letter: for work on punctuation and capitals.',
  stages: [collapseWhitespace],
  words: 'spaces',
  quirks: [],
})
