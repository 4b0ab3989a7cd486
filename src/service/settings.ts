import { realpath, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { hostPlatform, type Platform, platforms, timeouts } from '#contract'
import type { Problem } from '#prelude'
import { serviceErrors } from './errors.ts'
import { defaultDataDir, modelsDirOf } from './folder/default-folders.ts'
import { openCatalogue } from './models/open-catalogue.ts'
import type { ServiceOptions } from './options.ts'

/** The options of a service, checked, with every default filled in and every path absolute. */
export type Settings = {
  readonly [Option in Exclude<keyof ServiceOptions, Nullable>]-?: NonNullable<ServiceOptions[Option]>
} & { readonly [Option in Nullable]: NonNullable<ServiceOptions[Option]> | null }

/** Options whose default is that there is none. */
type Nullable = 'microphoneFile' | 'idleUnloadSeconds' | 'enginesFile'

/** The longest that a timer of the runtime can wait: 2^31 - 1 milliseconds. */
const longestTimeoutSeconds = 2_147_483

/** @throws BenchError SERVICE_OPTIONS_INVALID with every option that is wrong */
export async function checkOptions(options: ServiceOptions): Promise<Settings> {
  const dataDir = resolve(options.dataDir ?? defaultDataDir(process.env))
  const modelsDir = resolve(options.modelsDir ?? modelsDirOf(dataDir))
  const enginesFile = options.enginesFile === undefined ? null : resolve(options.enginesFile)
  const settings: Settings = {
    profile: options.profile ?? hostPlatform(process.platform),
    port: options.port ?? 0,
    dataDir,
    modelsDir,
    allowDirs: (options.allowDirs ?? []).map((folder) => resolve(folder)),
    concurrency: options.concurrency ?? availableParallelism(),
    threads: options.threads ?? 1,
    maxQueue: options.maxQueue ?? 256,
    requestTimeoutSeconds: options.requestTimeoutSeconds ?? timeouts.serviceSeconds,
    record: options.record ?? false,
    recordAudio: options.recordAudio ?? false,
    microphoneFile: options.microphoneFile === undefined ? null : resolve(options.microphoneFile),
    env: options.env ?? process.env,
    askProviders: options.askProviders ?? false,
    instances: options.instances ?? 1,
    warmUp: options.warmUp ?? [],
    idleUnloadSeconds: options.idleUnloadSeconds ?? null,
    enginesFile,
    catalogue: options.catalogue ?? (await openCatalogue(modelsDir, enginesFile, options.env ?? process.env)),
    logTexts: options.logTexts ?? false,
    log: options.log ?? (() => undefined),
  }
  const problems = [
    ...rangeProblems(settings),
    ...(await folderProblems(settings.allowDirs)),
    ...(await microphoneProblems(settings)),
  ]
  if (problems.length > 0) {
    throw serviceErrors.make('SERVICE_OPTIONS_INVALID', {
      message: `${problems.length === 1 ? 'An option' : `${problems.length} options`} of the service cannot be used.`,
      hint: 'asrbench serve --help',
      problems,
    })
  }
  return settings
}

function rangeProblems(settings: Settings): Problem[] {
  const { profile, port, concurrency, threads, instances, idleUnloadSeconds } = settings
  const { maxQueue, requestTimeoutSeconds } = settings
  const isPositive = (value: number): boolean => Number.isSafeInteger(value) && value >= 1
  const checks: readonly (readonly [keyof ServiceOptions, boolean, string])[] = [
    ['profile', (platforms as readonly Platform[]).includes(profile), `is one of ${platforms.join(', ')}`],
    ['port', Number.isInteger(port) && port >= 0 && port <= 65_535, 'is a whole number from 0 to 65535'],
    ['concurrency', isPositive(concurrency), 'is a whole number, 1 or more'],
    ['threads', isPositive(threads), 'is a whole number, 1 or more'],
    ['instances', isPositive(instances), 'is a whole number, 1 or more'],
    [
      'idleUnloadSeconds',
      idleUnloadSeconds === null || (idleUnloadSeconds > 0 && idleUnloadSeconds <= longestTimeoutSeconds),
      `is a number of seconds above 0, up to ${longestTimeoutSeconds}`,
    ],
    [
      'maxQueue',
      maxQueue === Number.POSITIVE_INFINITY || (Number.isSafeInteger(maxQueue) && maxQueue >= 0),
      'is a whole number, 0 or more, or Infinity',
    ],
    [
      'requestTimeoutSeconds',
      requestTimeoutSeconds > 0 && requestTimeoutSeconds <= longestTimeoutSeconds,
      `is a number of seconds above 0, up to ${longestTimeoutSeconds}`,
    ],
  ]
  return checks
    .filter(([, isGood]) => !isGood)
    .map(([option, , rule]) => ({ where: option, what: `${rule}, not ${String(settings[option])}` }))
}

async function folderProblems(folders: readonly string[]): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const folder of folders) {
    const found = await stat(folder).catch(() => null)
    if (found === null) problems.push({ where: 'allowDirs', what: `${folder} does not exist` })
    else if (!found.isDirectory()) problems.push({ where: 'allowDirs', what: `${folder} is not a directory` })
  }
  return problems
}

async function microphoneProblems({ microphoneFile }: Settings): Promise<Problem[]> {
  if (microphoneFile === null) return []
  const found = await stat(microphoneFile).catch(() => null)
  return found?.isFile() ? [] : [{ where: 'microphoneFile', what: `${microphoneFile} is not a file` }]
}

/** The folders as the operating system itself names them, for comparing with where a path leads. */
export function realFolders(folders: readonly string[]): Promise<string[]> {
  return Promise.all(folders.map((folder) => realpath(folder)))
}
