import type { Stage } from './profile.ts'

/** White space, and the control characters that separate words or lines in older files. */
const whitespaceRun = /[\s\p{Cc}]+/gu

/** The last stage of our own profiles: words one space apart, none at the ends. */
export const collapseWhitespace: Stage = {
  name: 'whitespace',
  does: 'Runs of white space become one space; none remains at the ends.',
  example: ['  two\twords ', 'two words'],
  settings: null,
  apply: (text) => text.replace(whitespaceRun, ' ').trim(),
}
