import type { YAMLError } from 'yaml'
import type { Problem } from '#prelude'
import type { Excerpt } from './excerpt.ts'

/** What the YAML library says, in the words of somebody who has to mend the file. */
export function problemOf({ code, message }: YAMLError, excerpt: Excerpt): Problem {
  const say = (what: string, advice: string): Problem => ({
    where: excerpt.where,
    what,
    hint: excerpt.show(advice),
  })
  switch (code) {
    case 'DUPLICATE_KEY':
      return say(`"${excerpt.word}" stands here a second time`, 'keep one of them')
    case 'TAB_AS_INDENT':
      return say('a tab indents this line', 'indent with spaces: YAML takes no tabs')
    case 'MULTIPLE_DOCS':
      return say('a second document begins here', 'keep one config in a file')
    case 'TAG_RESOLVE_FAILED':
      return say('a tag that means nothing here', 'quote a text that begins with !')
    case 'NON_STRING_KEY':
      return say('this key is no text', 'quote it')
    default:
      return say(`this is not YAML: ${message}`, '')
  }
}

/** For `*name` where no `&name` stands above it. */
export function danglingProblem(name: string, excerpt: Excerpt): Problem {
  const what = `"*${name}" refers to an anchor that is not there`
  const advice = `define &${name} above, or quote a text that begins with *`
  return { where: excerpt.where, what, hint: excerpt.show(advice) }
}
