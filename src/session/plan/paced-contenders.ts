import type { BenchConfig, ContenderConfig } from '#config'
import { isLoopbackHost } from '#contract'
import { findModel } from '#run'
import { type AnyTarget, baseUrlOf } from '../target/open-server.ts'
import type { RunTarget } from '../target/run-targets.ts'
import type { MeasurePlan } from './measure-plan.ts'

/**
 * Contenders whose refusals for a rate limit are waited out. Only a closed load waits: any other sends at its moments, and
 * waiting would make another load of it. Where the config declares retries of such refusals, it means those.
 */
export function pacedContenders(
  { rateLimit, retries }: Pick<BenchConfig, 'rateLimit' | 'retries'>,
  { load }: Pick<MeasurePlan, 'load'>,
  targets: readonly Pick<RunTarget, 'target' | 'config'>[],
): ReadonlySet<string> {
  if (rateLimit === 'fail' || load.kind !== 'closed') return new Set()
  if (rateLimit === 'auto' && retries.codes.some((code) => rateLimitLabels.has(code))) return new Set()
  return new Set(
    targets.flatMap(({ target, config: { contenders } }) =>
      contenders
        .filter((contender) => rateLimit === 'wait' || isElsewhere(contender, target))
        .map(({ id }) => id),
    ),
  )
}

const rateLimitLabels: ReadonlySet<string> = new Set(['RATE_LIMITED', 'HTTP_429'])

/** Whether a contender's audio is transcribed on another machine, as far as the target says. */
function isElsewhere(contender: ContenderConfig, target: AnyTarget): boolean {
  if (target.kind === 'provider') return true
  if (!isLoopbackHost(new URL(baseUrlOf(target)).hostname)) return true
  return (findModel(contender, target.models)?.provider ?? 'local') !== 'local'
}
