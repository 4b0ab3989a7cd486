import type { Platform } from '#contract'
import type { Exchange } from './exchange.ts'
import type { RuleId } from './rules.ts'

/** How a rule came out. */
export type Verdict =
  | { readonly kind: 'held' }
  /** What was seen instead of what the rule says. */
  | { readonly kind: 'broken'; readonly seen: string }
  | { readonly kind: 'notApplicable'; readonly reason: string }

/**
 * What a case does to the service: `reads` changes nothing; `writes` creates Modes, which are removed again, or
 * has audio transcribed, which an application may keep in its history; `risks` switches the microphone on, leaves a transcript, or would lose the last
 * Mode of a service that does not keep the rule.
 */
export type Access = 'reads' | 'writes' | 'risks'

/** One observation that proves a rule held or broken. */
export interface ConformanceCase {
  /** The rule's id, followed by `/` and a word where a rule has several cases. */
  readonly id: string
  readonly rule: RuleId
  /** The builds that the rule speaks of. */
  readonly platforms: readonly Platform[]
  readonly access: Access
  check(exchange: Exchange): Promise<Verdict>
}

export const held: Verdict = { kind: 'held' }

export function broken(seen: string): Verdict {
  return { kind: 'broken', seen }
}

export function notApplicable(reason: string): Verdict {
  return { kind: 'notApplicable', reason }
}

/** What is wrong with one thing that was seen, or null. */
export type Fault = string | null

/** Held where nothing is wrong; otherwise broken, with the first thing that is. */
export function judge(...faults: readonly Fault[]): Verdict {
  const first = faults.find((fault) => fault !== null)
  return first === undefined ? held : broken(first)
}

type Check = ConformanceCase['check']

/** A case that changes nothing. */
export function reads(rule: RuleId, on: readonly Platform[], check: Check): ConformanceCase {
  return { id: rule, rule, platforms: on, access: 'reads', check }
}

/** A case that creates Modes, or has audio transcribed. */
export function writes(rule: RuleId, on: readonly Platform[], check: Check): ConformanceCase {
  return { id: rule, rule, platforms: on, access: 'writes', check }
}

/** A case for a service that holds nothing of value. */
export function risks(rule: RuleId, on: readonly Platform[], check: Check): ConformanceCase {
  return { id: rule, rule, platforms: on, access: 'risks', check }
}

/** One case among several of its rule. */
export function named(name: string, one: ConformanceCase): ConformanceCase {
  return { ...one, id: `${one.rule}/${name}` }
}
