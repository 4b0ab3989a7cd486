import type { Problem } from '#prelude'

/** What is wrong with files of transcripts, in memory that does not grow with them. */
export interface ProblemList {
  readonly count: number
  /** Ready to be passed on by itself. */
  readonly report: (problem: Problem) => void
  all(): readonly Problem[]
}

const listedProblems = 1000

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

/** The ids of one file. */
export interface IdRegister {
  /** Takes an id down; one that stands twice is reported. */
  add(transcript: { readonly id: string; readonly line: number }): void
}

/** Starts a register for the ids of one file. */
export function registerIds(shownPath: string, problems: ProblemList): IdRegister {
  const lineOf = new Map<string, number>()
  return {
    add({ id, line }) {
      const earlier = lineOf.get(id)
      if (earlier === undefined) lineOf.set(copied(id), line)
      else {
        problems.report({
          where: `${shownPath}:${line}`,
          what: `the id "${id}" stands on line ${earlier} already`,
          hint: 'give every utterance an id of its own',
        })
      }
    },
  }
}

/** A part of a text keeps the whole text in memory; a copy does not. */
function copied(id: string): string {
  return Buffer.from(id, 'utf8').toString('utf8')
}
