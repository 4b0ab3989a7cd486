import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { BenchConfig } from '#config/bench-config'
import { type AgentEvent, runAgent } from '#fleet/agent/agent'
import { waitInWords } from '#fleet/coordinator/collect-blocks'
import { type FleetMode, fleetModes } from '#fleet/coordinator/fleet-blocks'
import type { FleetEvent } from '#fleet/coordinator/fleet-executor'
import type { LiveLatency } from '#fleet/coordinator/live-latencies'
import type { BrokerAddress } from '#fleet/queue/broker'
import { fleetKey } from '#fleet/queue/seal'
import { dataDirectory } from '#installation/installation'
import type { RunRecord } from '#journal/run-record'
import { systemClock } from '#load/clock'
import { formatMilliseconds } from '#reports/layout/units'
import { measure } from '#run/measure'
import { parseHostName, parseSeconds } from '../arguments.ts'
import { type Attach, type CommandContext, listenForInterruption } from '../command-context.ts'
import { cliErrors } from '../errors.ts'
import { loadConfig, loadMeasured } from '../load-config.ts'
import { namedManifest, namedPath } from '../named-files.ts'
import { commaSeparated, inGroups, queueUrl, repeatable, settingGroups } from '../options.ts'
import { choice, type OptionsOf, option, readOption, withMore } from '../typed-options.ts'
import { checkSettings, settingOptions, showMeasuring } from './run.ts'

const enginesFile = { ending: '.yaml', what: '--engines' }

const runOptions = () => [
  ...queueOptions(),
  choice(
    '--mode <mode>',
    'replicate: each host measures all of it; shard: hosts share it',
    fleetModes,
    'replicate',
  ),
  readOption('--hosts <names>', 'hosts that measure, separated by commas (replicate)', commaSeparated),
  readOption('--block <duration>', 'max audio in one block of one host', parseSeconds, 600, '10min'),
  readOption(
    '--idle-limit <duration>',
    'end when no agent measures what is missing for so long',
    parseSeconds,
    1800,
    '30min',
  ),
  option('--resume <run>', 'go on with a run that has not collected all of its blocks'),
  option('--json', 'one JSON document on stdout'),
  option('--strict', 'exit 6 for a run that is too short for the percentiles asked for'),
]
type FleetRunOptions = OptionsOf<typeof runOptions>

const agentOptions = () => [
  ...queueOptions(),
  readOption('--host <host>', 'name of this host', parseHostName, hostname(), 'that of the machine'),
  option('--target <target>', 'service of this host (default: that of the config)'),
  option('--engines <file>', 'engines file of this host (default: that of the config)'),
  readOption('--idle-limit <duration>', 'end after waiting for so long', parseSeconds),
  readOption('--corpus <corpus>', 'corpus on this host, by name or manifest; repeatable', repeatable),
]

const queueOptions = () => [
  readOption('--queue <url>', 'Redis or Valkey: redis://host:port, rediss:// for TLS', queueUrl),
  readOption('--fleet <name>', 'name of the fleet, where several share a Redis', String, 'fleet'),
  option('--shared <folder>', 'folder of all hosts for results (default: through Redis)'),
]
type QueueOptions = OptionsOf<typeof queueOptions>

/** `transcribench fleet run | agent`: one measurement on many hosts. */
export function defineFleetCommand(fleet: Command, attach: Attach): void {
  const run = withQueue(fleet.command('run'))
    .description('plan, hand out to agents, collect, and make one run of it')
    .argument('[config]', 'a YAML or JSON file, as for transcribench run')
  const withSettings = () => withMore(runOptions(), inGroups(settingOptions(), settingGroups))
  attach(run, withSettings, executeFleetRun, checkSettings)

  const agent = withQueue(fleet.command('agent')).description(
    'measure blocks on this host, with the service that runs here',
  )
  attach(agent, agentOptions, async (context, options) => {
    using interruption = listenForInterruption(() =>
      context.say('  stopping: waiting for what is in flight; Ctrl-C again drops it'),
    )
    const name = parseHostName(options.host)
    const host = {
      address: findBroker(context, options),
      name,
      dataFolder: join(dataDirectory(context.env), 'fleet', name),
      sharedFolder: findSharedFolder(context, options),
      corpora: await Promise.all((options.corpus ?? []).map((corpus) => namedManifest(context, corpus))),
      target: options.target ?? null,
      engines:
        options.engines === undefined
          ? null
          : resolve(context.cwd, await namedPath(context, options.engines, enginesFile)),
      env: context.env,
      clock: systemClock,
      idleLimitMs: options.idleLimit === undefined ? null : 1000 * options.idleLimit,
      stop: interruption.stop,
      drop: interruption.drop,
    }
    await runAgent(host, (event) => context.say(agentLine(event)))
    return 'done'
  })
}

/** Loads the module that merges and scores, which an agent does not need. */
function coordinating(): Promise<typeof import('#fleet/coordinator/fleet-executor')> {
  return import('#fleet/coordinator/fleet-executor')
}

async function executeFleetRun(
  context: CommandContext,
  options: FleetRunOptions,
  [configPath]: readonly string[],
): ReturnType<typeof showMeasuring> {
  const { fleetExecutor } = await coordinating()
  const begin = await findBeginning(context, options, configPath)
  const { config, settingSources, ...plan } = begin
  const executor = fleetExecutor({
    ...plan,
    address: findBroker(context, options),
    idleLimitMs: 1000 * options.idleLimit,
    sharedFolder: findSharedFolder(context, options),
    onEvent: (event) => context.say(fleetLine(event)),
  })
  return showMeasuring(context, {
    options,
    measure: (watching) => measure({ ...watching, config, settingSources }, executor),
  })
}

interface Beginning {
  readonly config: BenchConfig
  readonly settingSources: NonNullable<RunRecord['settingSources']>
  readonly mode: FleetMode
  readonly hosts: readonly string[] | null
  readonly maxAudioSeconds: number
  readonly resume: string | null
}

/** The start of a new run as typed, or of a resumed run as recorded. */
async function findBeginning(
  context: CommandContext,
  options: FleetRunOptions,
  configPath: string | undefined,
): Promise<Beginning> {
  const { config: loaded, sources } = await (options.resume === undefined ? loadMeasured : loadConfig)(
    context,
    configPath,
    {
      ...options,
    },
  )
  const config = { ...loaded, results: resolve(context.cwd, loaded.results) }
  const { mode, block: maxAudioSeconds, hosts: named } = options
  const hosts = named?.map(parseHostName) ?? null
  if (options.resume === undefined) {
    return { config, settingSources: sources, mode, hosts, maxAudioSeconds, resume: null }
  }
  const folder = options.resume.includes('/')
    ? resolve(context.cwd, options.resume)
    : join(config.results, options.resume)
  const { readFleetFile } = await coordinating()
  const { settingSources = {}, ...file } = await readFleetFile(folder)
  return { ...file, settingSources, resume: folder }
}

function withQueue(command: Command): Command {
  return command.addHelpText(
    'after',
    '\nTRANSCRIBENCH_FLEET_KEY signs every message: the same on every host, at least 32 characters.\n' +
      'TRANSCRIBENCH_FLEET_QUEUE takes the place of --queue for an address with a password.',
  )
}

function findSharedFolder({ cwd }: CommandContext, { shared }: QueueOptions): string | null {
  return shared === undefined ? null : resolve(cwd, shared)
}

/** @throws BenchError COMMAND_LINE_INVALID, FLEET_KEY_MISSING */
function findBroker({ env }: CommandContext, { queue, fleet }: QueueOptions): BrokerAddress {
  const url = queue ?? env['TRANSCRIBENCH_FLEET_QUEUE'] ?? ''
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url)) {
    throw cliErrors.make('COMMAND_LINE_INVALID', {
      message: 'the address of the queue is missing, or does not begin with redis:// or rediss://',
      hint: 'name it: --queue redis://127.0.0.1:6379, or set TRANSCRIBENCH_FLEET_QUEUE',
    })
  }
  return { url, fleet: parseHostName(fleet), key: fleetKey(env) }
}

/** An event of the coordinator as a line. */
function fleetLine(event: FleetEvent): string {
  switch (event.kind) {
    case 'handedOut': {
      const { run, hosts, blockCount, countedCount, idleLimitMs } = event
      const taker = hosts === null ? 'any agent' : hosts.join(', ')
      const before = countedCount === 0 ? '' : `, of which ${countedCount} were collected before`
      const wait = `ends when no agent measures a missing block for ${waitInWords(idleLimitMs)} (--idle-limit)`
      return `\n  run       ${run}\n  blocks    ${blockCount} for ${taker}${before}\n  waiting   ${wait}\n`
    }
    case 'counted': {
      const { result, countedCount, blockCount, latencies } = event
      const counted = `  ${blockName(result)}: ${result.answeredCount} answered (${countedCount} of ${blockCount} blocks)`
      return [counted, ...latencies.map((live) => liveLine(live, result.host))].join('\n')
    }
    case 'further':
      return `  ${blockName(event.result)}: measured once more, does not count`
    case 'failed':
      return `  ${blockName(event.failed.block)} failed: ${event.failed.reason}`
    case 'reassigned':
      return `  ${blockName(event.failed.block)} goes to another host: ${event.failed.reason}`
    case 'setAside':
      return `  ${event.host} is set aside, because it failed two blocks in a row: ${event.reason}`
    case 'lost':
      return `  ${event.host} fell silent while it measured ${blockName(event.block)}; another agent is given it`
  }
}

function blockName({ part, host }: { readonly part: number; readonly host: string | null }): string {
  return host === null ? `part ${part}` : `part ${part} on ${host}`
}

/** Live latencies as a line; the report has the exact figures, from the attempts of all hosts. */
function liveLine({ contenderId, p50Ms, p95Ms, relativeError }: LiveLatency, host: string): string {
  const [p50, p95] = [formatMilliseconds(p50Ms), formatMilliseconds(p95Ms)]
  return `    ${contenderId} on ${host} so far: p50 ${p50}, p95 ${p95} (±${100 * relativeError} %)`
}

/** An event of an agent as a line. */
function agentLine(event: AgentEvent): string {
  switch (event.kind) {
    case 'waiting':
      return '  waiting for a block'
    case 'measuring':
      return `  measuring part ${event.block.part} of ${event.block.partCount}, run ${event.block.run}`
    case 'sent':
      return event.isCounted ? '  sent' : '  not needed: another copy was complete first'
    case 'notSent':
      return `  ${event.reason}; the result is kept in ${event.folder}`
    case 'removed':
      return `  removed what no run took for 7 days: ${event.folder}`
    case 'refused':
      return `  a job was refused: ${event.reason}`
    case 'failed':
      return `  the block failed: ${event.reason}`
  }
}
