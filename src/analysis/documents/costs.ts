import type { BreakEven } from '#capacity'
/** What a contender's audio cost by the price in the config, in US dollars; where that stands is told with the contender. */
export interface MoneySpent {
  readonly usdPerAudioHour: number
  /** Sent, warm-up and repeats included. */
  readonly audioSeconds: number
  readonly usd: number
}

/** Amounts are US dollars. */
export interface RunCosts {
  /** What a machine of one's own costs a day, whether it transcribes or not. */
  readonly machine: {
    readonly usdPerDay: number
    readonly idleEnergyUsdPerDay: number
    readonly source: string
    readonly date: string
  }
  /** Contenders that transcribe on this machine. */
  readonly local: readonly LocalRunCost[]
  readonly providers: readonly ProviderRunCost[]
}

export interface LocalRunCost {
  readonly contenderId: string
  /** For an hour of audio, on top of the idle machine: estimated from processor seconds. */
  readonly energyUsdPerAudioHour: number
  /** What it does in a day at the speed of this run. */
  readonly maxAudioHoursPerDay: number
}

export interface ProviderRunCost {
  readonly contenderId: string
  /** For an hour of audio of these lengths, as they are billed. */
  readonly usdPerAudioHour: number
  /** What the audio of this run cost. */
  readonly usd: number
  readonly source: string
  readonly date: string
  /** From how much audio a day a machine of one's own is cheaper, by each local contender. */
  readonly breakEven: readonly LocalBreakEven[]
}

/** `contenderId` null: no contender was measured on this machine, and its energy for the audio is left out. */
export type LocalBreakEven = BreakEven & { readonly contenderId: string | null }
