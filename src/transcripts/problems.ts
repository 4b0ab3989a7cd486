import type { Problem } from '#prelude'
import { startIdRegister } from './id-register.ts'

/** What is wrong with files of transcripts, in memory that does not grow with them. */
export interface ProblemList {
  readonly count: number
  /** Ready to be passed on by itself. */
  readonly report: (problem: Problem) => void
  all(): readonly Problem[]
}

const listedProblems = 1000

/** What is said of a file without content. */
export const noLines: Omit<Problem, 'where'> = {
  what: 'has no lines',
  hint: 'give every utterance a line, a blank one where nothing was recognised; or name another file',
}

/** Starts a list that is empty. Beyond the first thousand problems, it counts. */
export function startProblems(): ProblemList {
  const listed: Problem[] = []
  let count = 0
  return {
    get count() {
      return count
    },
    report(problem) {
      count += 1
      if (listed.length < listedProblems) listed.push(problem)
    },
    all() {
      const more = count - listed.length
      return more === 0 ? listed : [...listed, { where: null, what: `and ${more} more of the like` }]
    },
  }
}

/** Checks that every id of one file is there once. */
export interface IdCheck {
  /** Takes an id down; one that is there twice is reported. */
  add(transcript: { readonly id: string; readonly line: number }): void
}

/** Starts to check the ids of one file. */
export function checkIds(shownPath: string, problems: ProblemList): IdCheck {
  const register = startIdRegister()
  return {
    add({ id, line }) {
      const earlier = register.lineOf(id, line)
      if (earlier === null) return
      problems.report({
        where: `${shownPath}:${line}`,
        what: `the id "${id}" is on line ${earlier} already`,
        hint: 'give every utterance a unique id',
      })
    },
  }
}
