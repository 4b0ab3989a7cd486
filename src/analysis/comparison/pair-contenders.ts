import type { Problem } from '#prelude'

/** Which contender of one run is compared with which of the other. */
export interface ContenderPair {
  readonly base: string
  readonly run: string
}

export interface PairedContenders {
  readonly pairs: readonly ContenderPair[]
  /** Empty unless nothing can be paired, or a wanted pair names a contender that is not there. */
  readonly problems: readonly Problem[]
}

/**
 * Pairs as asked; otherwise contenders with the same id; otherwise, where each side has exactly one, those
 * two, whatever they are called (a new build often has a new name).
 *
 * @param base ids of the base side
 * @param run ids of the other
 */
export function pairContenders(
  base: readonly string[],
  run: readonly string[],
  wanted: readonly ContenderPair[] | undefined,
): PairedContenders {
  const pairs = wanted ?? pairsByName(base, run)
  const problems: Problem[] = []
  const list = (side: readonly string[]): string => side.join(', ') || 'none'
  for (const pair of pairs) {
    if (!base.includes(pair.base)) {
      problems.push({
        where: pair.base,
        what: `is not a contender of the base run, which has ${list(base)}`,
      })
    }
    if (!run.includes(pair.run)) {
      problems.push({ where: pair.run, what: `is not a contender of the run, which has ${list(run)}` })
    }
  }
  if (pairs.length === 0) {
    problems.push({
      where: null,
      what: `no contender is in both runs: the base has ${list(base)}; the run has ${list(run)}`,
      hint: 'name the pair with --contender <base>=<run>',
    })
  }
  return { pairs: pairs.filter((pair) => base.includes(pair.base) && run.includes(pair.run)), problems }
}

function pairsByName(base: readonly string[], run: readonly string[]): readonly ContenderPair[] {
  const shared = base.filter((id) => run.includes(id))
  if (shared.length > 0) return shared.map((id) => ({ base: id, run: id }))
  const [left, right] = [base[0], run[0]]
  if (base.length !== 1 || run.length !== 1 || left === undefined || right === undefined) return []
  return [{ base: left, run: right }]
}
