import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { dataDirectory as defaultDataDir } from '#installation/installation'
import { counted, shellWord } from '#prelude'
import { type BackupFacts, backUp, restore } from '#service/folder/backup'
import { rotateToken } from '#service/folder/data-dir'
import { startService } from '#service/service'
import type { LoggedEvent } from '#service/service-event'
import { defaultModelsDir, findOptionProblems, optionsInvalid, type ServiceOptions } from '#service/settings'
import { trimMemory } from '#service/worker-process'
import { type Attach, type CommandContext, listenForInterruption } from '../command-context.ts'
import { namedPath } from '../named-files.ts'
import { type OptionsOf, option } from '../typed-options.ts'
import { flagOf, type LogFormat, logLine, type ServeOptions, serveOptions } from './serve-options.ts'

/** `transcribench serve`: the reference service alone, until it is interrupted. */
export function defineServeCommand(serve: Command, attach: Attach): void {
  attach(
    serve,
    serveOptions,
    async (context, options) => {
      const { log, stopWithin } = options
      const serviceOptions = await checkedOptions(context, options)
      // A JSON log is read by a program, so nothing else is printed.
      const say = log === 'json' ? () => undefined : context.say
      // The handler is active before the service starts, which may load models for seconds, and until it has stopped,
      // so that a further signal does not interrupt stopping.
      using interruption = listenForInterruption(() =>
        say('stopping when what is under way is done; Ctrl-C again stops it now'),
      )
      await using service = await startService(serviceOptions)
      trimMemory()
      context.print(`listening on ${service.baseUrl} (platform ${service.profile})`)
      context.print(`discovery file ${service.discoveryPath}`)
      say(
        `\nmeasure it with: transcribench run --target ${shellWord(service.discoveryPath)}\nCtrl-C stops it.`,
      )
      if (!interruption.stop.aborted) await once(interruption.stop, 'abort')
      await service.stop({ finishWithinSeconds: stopWithin, hurry: interruption.drop })
      return 'done'
    },
    checkedOptions,
  )
  addTokenCommand(serve, attach)
  addBackupCommands(serve, attach)
}

/**
 * The options as the service takes them.
 *
 * @throws BenchError SERVICE_OPTIONS_INVALID with the problems that the service finds, by the names of flags
 */
async function checkedOptions(context: CommandContext, options: ServeOptions): Promise<ServiceOptions> {
  const {
    platform,
    allowDir,
    stopWithin: _stopWithin,
    requestTimeout,
    idleUnload,
    engines,
    ...others
  } = options
  const { microphoneFile, memory, keepAudio, maxAudio, log, ...rest } = others
  const pathOf = async (path: string | undefined, ending: string, what: string) =>
    path === undefined ? undefined : await namedPath(context, path, { ending, what })
  const serviceOptions: ServiceOptions = {
    ...rest,
    profile: platform,
    modelsDir: options.modelsDir ?? defaultModelsDir(context.env),
    allowDirs: allowDir,
    requestTimeoutSeconds: requestTimeout,
    memoryBytes: memory === undefined ? undefined : memory * 2 ** 20,
    idleUnloadSeconds: idleUnload,
    enginesFile: await pathOf(engines, '.yaml', '--engines'),
    microphoneFile: await pathOf(microphoneFile, '.wav', '--microphone-file'),
    keepAudioSeconds: keepAudio,
    maxAudioBytes: maxAudio,
    env: context.env,
    askProviders: true,
    log: (event) => sayEvent(context, event, log),
  }
  const problems = await findOptionProblems(serviceOptions)
  if (problems.length === 0) return serviceOptions
  throw optionsInvalid(problems.map(({ option, what }) => ({ where: flagOf[option] ?? option, what })))
}

function addTokenCommand(serve: Command, attach: Attach): void {
  const rotate = serve
    .command('token')
    .description('the access token of clients')
    .command('rotate')
    .description('make a new token; a running service refuses the old one at once')
  attach(
    rotate,
    () => dataDirOption('data directory of the service'),
    async (context, options) => {
      const { isAnnounced } = await rotateToken(findDataDir(serve, options, context))
      context.say(
        isAnnounced
          ? 'The old token is invalid; clients read the new one from the discovery file.'
          : 'The next service on this directory starts with a new token.',
      )
      return 'done'
    },
  )
}

function addBackupCommands(serve: Command, attach: Attach): void {
  const inWords = ({ recordingCount, soundCount }: BackupFacts): string =>
    `${counted(recordingCount, 'recording')}, ${soundCount} with sound`
  const backup = serve
    .command('backup')
    .description('copy Modes and recordings, without the token; the service may run')
    .argument('<folder>', 'where to; it must not exist yet')
  attach(
    backup,
    () => dataDirOption('data directory of the service'),
    async (context, options, [folder = '']) => {
      const to = resolve(context.cwd, folder)
      const facts = await backUp(findDataDir(serve, options, context), to)
      context.say(`${to}: all Modes, ${inWords(facts)}`)
      return 'done'
    },
  )
  const restoring = serve
    .command('restore')
    .description('put a backup into a data directory without a service')
    .argument('<folder>', 'the backup')
  attach(
    restoring,
    () => dataDirOption('data directory to restore into'),
    async (context, options, [folder = '']) => {
      const dataDir = findDataDir(serve, options, context)
      const facts = await restore(resolve(context.cwd, folder), dataDir)
      context.say(`${dataDir}: all Modes, ${inWords(facts)}; the next service there has a new token`)
      return 'done'
    },
  )
}

const dataDirOption = (description: string) => [option('--data-dir <folder>', description)]

/** Reads the data folder from the parent command, which takes an option of that name wherever it is typed. */
function findDataDir(
  serve: Command,
  { dataDir }: OptionsOf<typeof dataDirOption>,
  context: CommandContext,
): string {
  return resolve(
    context.cwd,
    dataDir ?? (serve.opts() as ServeOptions).dataDir ?? defaultDataDir(context.env),
  )
}

function sayEvent(context: CommandContext, event: LoggedEvent, format: LogFormat): void {
  const line = logLine(event, format, new Date())
  if (line !== null) context.say(line)
}
