import type { LanguageTable } from './languages.ts'
import type { ProviderOption } from './options.ts'
import type { ProtocolName } from './protocols/protocols.ts'

/** Bytes; limits of files are in it. */
export const megabyte = 1_000_000
export const mebibyte = 1_048_576

/** How the length of a recording is rounded before it is billed. */
interface Rounding {
  readonly stepSeconds: number | null
  readonly rounding: 'up' | 'nearest'
  readonly minimumSeconds: number
}

/** Lengths as they are. Also where the page with the price does not say how they are rounded. */
export const exactLength: Rounding = { stepSeconds: null, rounding: 'nearest', minimumSeconds: 0 }
export const nearestSecond: Rounding = { stepSeconds: 1, rounding: 'nearest', minimumSeconds: 0 }

/** A price with its source; without both it is not claimed. */
interface Price extends Rounding {
  readonly usdPerAudioHour: number
  readonly source: string
  /** The day for which it is known: it was published there then, and may have changed since. */
  readonly date: string
}

/** When a model stops answering, as its provider announced it. */
export interface Retirement {
  /** `2027-02-26`; null where a successor is out and no date was found. */
  readonly date: string | null
  readonly successor: string
  readonly source: string
}

interface ProviderModel {
  readonly id: string
  /** Null where none was found with a source. */
  readonly price: Price | null
  readonly retires: Retirement | null
  /** Where it differs from that of the provider. */
  readonly baseUrl?: string
}

/** Everything that transcribench knows of a provider that is no protocol. */
export interface ProviderData {
  readonly id: string
  readonly displayName: string
  /** The provider whose key and address it shares. */
  readonly account?: string
  readonly protocol: ProtocolName
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly models: readonly ProviderModel[]
  /** Page that lists the models. */
  readonly modelSource: string
  /** The day on which models, options and limits were looked up; each price has a separate date. */
  readonly readOn: string
  /** Settings of its API that change what it answers; any other is not sent. */
  readonly options: readonly ProviderOption[]
  /** Codes of languages, where it has others than its protocol. */
  readonly languages?: LanguageTable
  /** What one request may hold: bytes of a file, seconds of audio; null where no limit is documented or it is far away. */
  readonly maxFileBytes: number | null
  readonly maxAudioSeconds: number | null
  /** What may be sent in a minute by default; null where it depends on the account, or none is documented. */
  readonly maxRequestsPerMinute: number | null
  /** What its answers do not hold, in words. */
  readonly doesNotReturn: readonly string[]
  /** Where address and protocol are documented. */
  readonly documentation: string
}
