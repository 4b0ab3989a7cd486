import type { Platform } from '#contract'
import type { ConfiguredTransport, RateLimitReaction, Workload } from './bench-config.ts'
import type { ContenderFile } from './contender-file.ts'
import type { LoadFile } from './load-file.ts'
import type { ScoringFile } from './scoring-file.ts'

/** A config as it stands in a file: every key may be left out, times carry their unit. */
export interface ConfigFile {
  readonly name?: string | undefined
  readonly target?: string | undefined
  readonly corpus?: string | undefined
  readonly workload?: Workload | undefined
  readonly exclude?: readonly string[] | undefined
  readonly sample?: number | undefined
  readonly contenders?: readonly ContenderFile[] | undefined
  readonly skipUnready?: boolean | undefined
  readonly load?: LoadFile | undefined
  readonly rounds?: number | undefined
  readonly warmupRequests?: number | undefined
  readonly timeout?: string | undefined
  readonly retries?: RetriesFile | undefined
  readonly rateLimit?: RateLimitReaction | undefined
  readonly transport?: ConfiguredTransport | undefined
  readonly stage?: string | undefined
  readonly platform?: Platform | undefined
  readonly keyFrom?: string | undefined
  readonly engines?: string | undefined
  readonly maxBilledMinutes?: number | undefined
  readonly scoring?: ScoringFile | undefined
  readonly failIf?: readonly string[] | undefined
  readonly margins?: readonly string[] | undefined
  readonly seed?: number | undefined
  readonly results?: string | undefined
}

/** Which failed requests are sent again, as it stands in a file. */
export interface RetriesFile {
  readonly codes?: readonly string[] | undefined
  readonly most?: number | undefined
  readonly backOff?: string | undefined
  readonly budget?: number | undefined
}
