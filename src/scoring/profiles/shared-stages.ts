import type { Stage } from './profile.ts'

/** White space, and the control characters that separate words or lines in older files. */
const whitespaceRun = /[\s\p{Cc}]+/gu

/** The last stage of our own profiles: words one space apart, none at the ends. */
export const collapseWhitespace: Stage = {
  name: 'whitespace',
  does: 'Runs of white space become one space; none remains at the ends.',
  example: ['  two\twords ', 'two words'],
  apply: collapse,
  ascii: (text) => (isCollapsed(text) ? text : collapse(text)),
}

function collapse(text: string): string {
  return text.replace(whitespaceRun, ' ').trim()
}

const space = 0x20
const control = /[^ -~]/

/** Whether a text in ASCII has nothing to collapse. */
function isCollapsed(text: string): boolean {
  return (
    text.charCodeAt(0) !== space &&
    text.charCodeAt(text.length - 1) !== space &&
    !text.includes('  ') &&
    !control.test(text)
  )
}
