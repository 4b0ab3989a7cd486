import type { Problem } from '#prelude'
import type { ScoredContender } from './contender-evaluation.ts'

/** Which contender of one run is held against which of the other. */
export interface ContenderPair {
  readonly base: string
  readonly run: string
}

export interface PairedContenders {
  readonly pairs: readonly { readonly base: ScoredContender; readonly run: ScoredContender }[]
  /** Empty unless nothing can be paired, or a wanted pair names a contender that is not there. */
  readonly problems: readonly Problem[]
}

/**
 * Pairs as asked; otherwise contenders with the same id; otherwise, where each side has exactly one, those
 * two, whatever they are called (a new build often has a new name).
 */
export function pairContenders(
  base: readonly ScoredContender[],
  run: readonly ScoredContender[],
  wanted: readonly ContenderPair[] | undefined,
): PairedContenders {
  const pairs = (wanted ?? pairsByName(base, run)).map((pair) => ({
    pair,
    base: base.find((scored) => idOf(scored) === pair.base),
    run: run.find((scored) => idOf(scored) === pair.run),
  }))
  const problems: Problem[] = []
  const found: PairedContenders['pairs'][number][] = []
  for (const { pair, base: left, run: right } of pairs) {
    if (left === undefined) problems.push({ where: pair.base, what: 'is not a contender of the base run' })
    if (right === undefined) problems.push({ where: pair.run, what: 'is not a contender of the run' })
    if (left !== undefined && right !== undefined) found.push({ base: left, run: right })
  }
  if (pairs.length === 0) {
    const list = (side: readonly ScoredContender[]): string => side.map(idOf).join(', ') || 'none'
    problems.push({
      where: null,
      what: `no contender is in both runs: the base has ${list(base)}; the run has ${list(run)}`,
      hint: 'name the pair with --contender <base>=<run>',
    })
  }
  return { pairs: found, problems }
}

function pairsByName(
  base: readonly ScoredContender[],
  run: readonly ScoredContender[],
): readonly ContenderPair[] {
  const runIds = new Set(run.map(idOf))
  const shared = base.map(idOf).filter((id) => runIds.has(id))
  if (shared.length > 0) return shared.map((id) => ({ base: id, run: id }))
  const [left, right] = [base[0], run[0]]
  if (base.length !== 1 || run.length !== 1 || left === undefined || right === undefined) return []
  return [{ base: idOf(left), run: idOf(right) }]
}

function idOf(scored: ScoredContender): string {
  return scored.judged.contender.id
}
