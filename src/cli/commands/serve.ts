import { once } from 'node:events'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type Platform, platforms } from '#contract'
import { defaultDataDir, defaultModelsDir, rotateToken, type ServiceEvent, startService } from '#service'
import { wholeNumber, wholeNumberOrNone } from '../arguments.ts'
import { listenForInterruption } from '../interruption.ts'
import type { Attach } from '../program.ts'
import type { World } from '../world.ts'
import { type LogFormat, logFormats, logLine } from './serve-log.ts'

interface ServeOptions {
  readonly port?: number
  readonly dataDir?: string
  readonly modelsDir?: string
  readonly allowDir?: readonly string[]
  readonly profile?: Platform
  readonly concurrency?: number
  readonly threads?: number
  readonly instances?: number
  readonly warmUp?: readonly string[]
  readonly idleUnload?: number
  readonly engines?: string
  readonly maxQueue?: number
  readonly requestTimeout?: number
  readonly record?: boolean
  readonly recordAudio?: boolean
  readonly microphoneFile?: string
  readonly stopWithin: number
  readonly log: LogFormat
  readonly logTexts?: boolean
}

/** `asrbench serve`: the reference service alone, until it is interrupted. */
export function addServeCommand(program: Command, attach: Attach): void {
  const serve = program
    .command('serve')
    .description('the reference service alone, on 127.0.0.1, with a token')
    .option('--port <number>', 'port to listen on; a free one by default', wholeNumber(0))
    .option('--data-dir <folder>', 'Modes, token, discovery file and recordings')
    .option('--models-dir <folder>', 'where models are installed')
    .option('--allow-dir <folder...>', 'folders whose files a request may name by path')
    .addOption(new Option('--profile <platform>', 'whose behaviour to show').choices(platforms))
    .option('--concurrency <number>', 'decodes at the same time on each model', wholeNumber(1))
    .option('--threads <number>', 'threads of one decode', wholeNumber(1))
    .option('--instances <number>', 'copies of each model in memory', wholeNumber(1))
    .option('--warm-up <model...>', 'models to load before the first request')
    .option('--idle-unload <seconds>', 'free a model that nobody asks for so long', wholeNumber(1))
    .option('--engines <file>', 'programs and servers that transcribe, see docs/engines.md')
    .option(
      '--max-queue <number>',
      'requests that may wait, one more is RATE_LIMITED; none: all wait',
      wholeNumberOrNone(0),
    )
    .option('--request-timeout <seconds>', 'a longer transcription is answered TIMEOUT', wholeNumber(1))
    .option('--record', 'keep the text of every transcription as a recording')
    .option('--record-audio', 'keep the text and the sound of every transcription')
    .option('--microphone-file <audio>', 'what the recorder hears (Linux profile)')
    .addOption(
      new Option('--stop-within <seconds>', 'how long requests under way may take when it stops')
        .argParser(wholeNumber(0))
        .default(30),
    )
    .addOption(
      new Option('--log <format>', 'how events are told on stderr').choices(logFormats).default('text'),
    )
    .option('--log-texts', 'tell what was transcribed as well')
  attach<ServeOptions>(serve, async (world, options) => {
    const { allowDir, stopWithin, requestTimeout, idleUnload, engines, log, ...rest } = options
    await using service = await startService({
      ...rest,
      modelsDir: options.modelsDir ?? defaultModelsDir(world.env),
      allowDirs: allowDir,
      requestTimeoutSeconds: requestTimeout,
      idleUnloadSeconds: idleUnload,
      enginesFile: engines,
      env: world.env,
      askProviders: true,
      log: (event) => sayEvent(world, event, log),
    })
    world.print(`listening on ${service.baseUrl} (profile ${service.profile})`)
    world.print(`discovery file ${service.discoveryPath}`)
    world.say(`\nmeasure it with: asrbench run --target ${service.discoveryPath}\nCtrl-C stops it.`)
    // The listeners stay until the service has stopped: a further signal must not end it half-way.
    using interruption = listenForInterruption(() =>
      world.say('stopping when what is under way is done; Ctrl-C again stops it now'),
    )
    await once(interruption.stop, 'abort')
    await service.stop({ finishWithinSeconds: stopWithin, hurry: interruption.drop })
    return 'done'
  })
  addTokenCommand(serve, attach)
}

/** `asrbench serve token rotate`. */
function addTokenCommand(serve: Command, attach: Attach): void {
  const rotate = serve
    .command('token')
    .description('the token that clients show')
    .command('rotate')
    .description('make a new token; a running service refuses the old one at once')
    .option('--data-dir <folder>', 'data directory of the service')
  attach<{ readonly dataDir?: string }>(rotate, async (world, options) => {
    // The parent command has an option of that name as well, and takes it wherever it stands.
    const dataDir = options.dataDir ?? (serve.opts() as ServeOptions).dataDir ?? defaultDataDir(world.env)
    const { isAnnounced } = await rotateToken(resolve(world.cwd, dataDir))
    world.say(
      isAnnounced
        ? 'The old token is invalid; clients read the new one from the discovery file.'
        : 'The next service on this directory starts with a new token.',
    )
    return 'done'
  })
}

function sayEvent(world: World, event: ServiceEvent, format: LogFormat): void {
  const line = logLine(event, format, new Date())
  if (line !== null) world.say(line)
}
