import { endsByItself, parseDuration } from '#load'
import {
  automaticReuse,
  automaticReuseSeconds,
  type BenchConfig,
  type ContenderConfig,
} from './bench-config.ts'
import { defaults } from './config-schema.ts'
import { defaultOptionsOf } from './contender-options.ts'
import { contenderIds } from './contender-targets.ts'
import type { ConfigFile } from './files/config-file.ts'
import type { ContenderFile } from './files/contender-file.ts'
import { completedLoad, type LoadFile } from './files/load-file.ts'

/** A load that ends by itself says how long it lasts, and is gone through once; so is a sample, which is a first look. */
export function defaultRounds({ load, sample }: ConfigFile & { readonly load: LoadFile }): number {
  return sample !== undefined || endsByItself(completedLoad(load)) ? 1 : defaults.rounds
}

/** A file with a default for everything that it does not say. */
export function completed(file: ConfigFile & { readonly load: LoadFile }): BenchConfig {
  return {
    name: file.name ?? defaults.name,
    target: file.target ?? defaults.target,
    platform: file.platform ?? null,
    engines: file.engines ?? null,
    keyFrom: file.keyFrom ?? null,
    maxBilledMinutes: file.maxBilledMinutes ?? defaults.maxBilledMinutes,
    reuseSeconds: reuseSeconds(file.reuse),
    corpus: file.corpus ?? defaults.corpus,
    workload: file.workload ?? defaults.workload,
    exclude: file.exclude ?? defaults.exclude,
    sample: file.sample ?? null,
    contenders: completedContenders(file.contenders ?? defaults.contenders, file.target ?? defaults.target),
    skipUnready: file.skipUnready ?? defaults.skipUnready,
    ...(file.parallel === true ? { parallel: true } : {}),
    load: completedLoad(file.load),
    rounds: file.rounds ?? defaultRounds(file),
    warmupRequests: file.warmupRequests ?? defaults.warmupRequests,
    requestTimeoutSeconds: file.timeout === undefined ? null : parseDuration(file.timeout),
    retries: {
      codes: file.retries?.codes ?? defaults.retries.codes,
      most: file.retries?.most ?? defaults.retries.most,
      backOffSeconds: parseDuration(file.retries?.backOff ?? defaults.retries.backOff) ?? 0,
      budget: file.retries?.budget ?? defaults.retries.budget,
    },
    rateLimit: file.rateLimit ?? defaults.rateLimit,
    transport: file.transport ?? defaults.transport,
    stage: file.stage ?? null,
    scoring: {
      profile: file.scoring?.profile ?? defaults.scoring.profile,
      fillers: file.scoring?.fillers ?? defaults.scoring.fillers,
      replacements: file.scoring?.replacements ?? defaults.scoring.replacements,
      equivalences: file.scoring?.equivalences ?? defaults.scoring.equivalences,
      vocabulary: file.scoring?.vocabulary ?? defaults.scoring.vocabulary,
      noSpeech: file.scoring?.noSpeech ?? defaults.scoring.noSpeech,
    },
    thresholds: file.thresholds ?? defaults.thresholds,
    margins: file.margins ?? defaults.margins,
    seed: file.seed ?? defaults.seed,
    results: file.results ?? defaults.results,
  }
}

function reuseSeconds(reuse: ConfigFile['reuse']): number | null {
  if (reuse === undefined) return null
  return reuse === automaticReuse ? automaticReuseSeconds : parseDuration(reuse)
}

function completedContenders(
  contenders: readonly ContenderFile[],
  common: string,
): readonly ContenderConfig[] {
  const ids = contenderIds(contenders)
  return contenders.map((contender, index) => completedContender(contender, { id: ids[index] ?? '', common }))
}

function completedContender(
  contender: ContenderFile,
  { id, common }: { readonly id: string; readonly common: string },
): ContenderConfig {
  const { target, keyFrom, engine, model, language, mode, settings: fields } = contender
  const { options, threads, concurrency, transport } = contender
  const { requestsPerMinute, usdPerMinute, priceSource, priceDate } = contender
  const defaultOptions = defaultOptionsOf(contender, common)
  return {
    id,
    ...(target === undefined ? {} : { target }),
    ...(keyFrom === undefined ? {} : { keyFrom }),
    ...(options === undefined || Object.keys(options).length === 0 ? {} : { options }),
    ...(Object.keys(defaultOptions).length === 0 ? {} : { defaultOptions }),
    ...(threads === undefined ? {} : { threads }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(transport === undefined ? {} : { transport }),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    engine: engine ?? null,
    model: model ?? null,
    language: language ?? null,
    mode: mode ?? null,
    settings: fields ?? {},
    usdPerMinute: usdPerMinute ?? null,
    priceSource: priceSource ?? null,
    priceDate: priceDate ?? null,
  }
}
