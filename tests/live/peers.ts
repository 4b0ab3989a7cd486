/**
 * `npm run peers`: this program and other load generators against one server of known truth, in turn, with the same
 * clips and the same load; and `wer` against other scorers. Prints the tables of docs/peers.md. The peers are
 * installed into a virtual environment in a cache folder, with the versions that are pinned here. Not part of the gate.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exitCodes } from '#prelude'
import { quantile, sortSamples } from '#statistics/quantiles'
import { writeTexts } from '../bench/wer.ts'
import type { LoggedRequest } from './peer-server.ts'

const pinned = ['aiperf==0.13.0', 'guidellm[audio]==0.8.1', 'httpx==0.28.1', 'jiwer==4.0.0', 'werpy==3.5.0']
const root = fileURLToPath(new URL('../..', import.meta.url))
const corpus = join(root, 'corpora/quick/manifest.jsonl')
const inFlight = 8
const perSecond = 50
const requests = { short: 200, long: 1_000, paced: 500 } as const
const rounds = Number(process.argv[2] ?? 3)
/** `load` or `wer`; both without it. */
const wanted = process.argv[3]

const ownProgram = [process.execPath, '--disable-warning=ExperimentalWarning', join(root, 'src/cli/main.js')]
const environment = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'transcribench-peers')
const python = join(environment, 'bin/python')

/** How requests leave: so many at once, or at even intervals. */
type Load = 'closed' | 'constant'

interface Job {
  readonly load: Load
  readonly count: number
  readonly port: number
  /** An empty folder. */
  readonly folder: string
}

/** Percentiles of the latency in milliseconds, as a program reports them. */
type Reported = Readonly<Record<'p50' | 'p95' | 'p99', number | null>>

interface Peer {
  readonly name: string
  command(job: Job): readonly string[]
  report(job: Job): Promise<Reported>
}

/** Lines of a data set as both aiperf and guidellm read it. */
const clipRows = (await readFile(corpus, 'utf8'))
  .trimEnd()
  .split('\n')
  .map((line) => `${JSON.stringify({ audio: join(corpus, '..', JSON.parse(line).audio) })}\n`)

const transcribench: Peer = {
  name: 'transcribench',
  command: ({ load, count, port, folder }) => [
    ...ownProgram,
    ...['run', '--target', `openai:http://127.0.0.1:${port}/v1`, '--contender', 'any:m1', '--corpus', corpus],
    ...['--warmup', '0', '--rounds', String(count / clipRows.length), '--results', folder],
    ...(load === 'closed'
      ? ['--concurrency', String(inFlight)]
      : ['--load', 'constant', '--rate', `${perSecond}/s`]),
  ],
  async report({ folder }) {
    const [run = ''] = await readdir(folder)
    const evaluation = JSON.parse(await readFile(join(folder, run, 'evaluation.json'), 'utf8'))
    const { p50, p95, p99 } = evaluation.contenders[0].latencyMs
    return { p50: p50.value, p95: p95.value, p99: p99.value }
  },
}

const aiperf: Peer = {
  name: 'aiperf',
  command: ({ load, count, port, folder }) => [
    ...[join(environment, 'bin/aiperf'), 'profile', '--model', 'm1', '--url', `http://127.0.0.1:${port}`],
    ...['--endpoint-type', 'audio-transcription', '--extra-inputs', 'response_format:json', '--ui', 'none'],
    ...['--input-file', join(folder, 'clips.jsonl'), '--custom-dataset-type', 'single_turn'],
    ...['--request-count', String(count), '--output-artifact-dir', join(folder, 'aiperf')],
    ...(load === 'closed'
      ? ['--concurrency', String(inFlight)]
      : ['--request-rate', String(perSecond), '--arrival-pattern', 'constant']),
  ],
  async report({ folder }) {
    const { request_latency } = JSON.parse(
      await readFile(join(folder, 'aiperf/profile_export_aiperf.json'), 'utf8'),
    )
    return { p50: request_latency.p50, p95: request_latency.p95, p99: request_latency.p99 }
  },
}

const guidellm: Peer = {
  name: 'guidellm',
  command: ({ load, count, port, folder }) => [
    ...[join(environment, 'bin/guidellm'), 'run', '--disable-console', '--backend'],
    `kind=openai_http,target=http://127.0.0.1:${port},model=m1,request_format=/v1/audio/transcriptions`,
    ...[
      '--profile',
      load === 'closed' ? `kind=concurrent,streams=${inFlight}` : `kind=constant,rate=${perSecond}`,
    ],
    ...['--constraint', `kind=max_requests,count=${count}`],
    ...['--data', `kind=json_file,path=${join(folder, 'rows.jsonl')}`],
    ...['--data-column-mapper', 'kind=generative_column_mapper,column_mappings.audio_column=audio'],
    ...['--data-preprocessor', 'kind=encode_media,audio_kwargs.audio_format=wav'],
    ...['--output', `kind=json,path=${join(folder, 'guidellm.json')}`],
  ],
  async report({ folder }) {
    const { benchmarks } = JSON.parse(await readFile(join(folder, 'guidellm.json'), 'utf8'))
    const { percentiles } = benchmarks[0].metrics.request_latency.successful
    const ms = (seconds: number): number => 1_000 * seconds
    return { p50: ms(percentiles.p50), p95: ms(percentiles.p95), p99: ms(percentiles.p99) }
  },
}

/** What is written without a tool: httpx, a task for each request in flight, or a sleep between sendings. */
const loopProgram = `
import asyncio, httpx, json, pathlib, sys, time
load, count, port, manifest = sys.argv[1], int(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])
clips = [(manifest.parent / json.loads(line)['audio']).read_bytes() for line in manifest.read_text().splitlines()]
taken = []
async def main():
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(limits=limits, timeout=60) as client:
        async def send(n):
            began = time.perf_counter()
            form = {'model': 'm1', 'response_format': 'json'}
            answer = await client.post(f'http://127.0.0.1:{port}/v1/audio/transcriptions', data=form,
                                       files={'file': ('audio.wav', clips[n % len(clips)], 'audio/wav')})
            answer.json()['text']
            taken.append(1000 * (time.perf_counter() - began))
        if load == 'closed':
            numbers = iter(range(count))
            async def work():
                for n in numbers: await send(n)
            await asyncio.gather(*(work() for _ in range(${inFlight})))
        else:
            sent = []
            for n in range(count):
                sent.append(asyncio.create_task(send(n)))
                await asyncio.sleep(1 / ${perSecond})
            await asyncio.gather(*sent)
asyncio.run(main())
taken.sort()
print(json.dumps({f'p{p}': taken[min(len(taken) - 1, int(len(taken) * p / 100))] for p in (50, 95, 99)}))
`

const loop: Peer = {
  name: 'loop of httpx',
  command: ({ load, count, port }) => [python, '-c', loopProgram, load, String(count), String(port), corpus],
  report: async ({ folder }) => JSON.parse(await readFile(join(folder, 'stdout'), 'utf8')),
}

const peers = [transcribench, aiperf, guidellm, loop]

/** Prints the processor seconds of a command with all its children as its last line on stderr. */
const timer = `
import json, os, subprocess, sys
ended = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=open(sys.argv[1], 'wb'), stderr=subprocess.STDOUT)
used = os.times()
print(json.dumps({'status': ended.returncode, 'seconds': used.children_user + used.children_system}))
`

async function output(program: string, args: readonly string[], env = process.env): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  let text = ''
  child.stdout.on('data', (piece) => {
    text += piece
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ${args.slice(0, 3).join(' ')} ended with ${code}`)
  return text
}

interface Timed {
  readonly cpuSeconds: number
  readonly wallSeconds: number
}

/** @param stdoutPath where the output goes */
async function timed(command: readonly string[], stdoutPath: string): Promise<Timed> {
  const env = { ...process.env, HF_HUB_OFFLINE: '1' }
  const startedAtMs = performance.now()
  const { status, seconds } = JSON.parse(await output(python, ['-c', timer, stdoutPath, ...command], env))
  // A run that is not valid is recorded as any other: here only what the program did counts.
  if (status !== 0 && status !== exitCodes.runNotValid.code)
    throw new Error(`${command.slice(0, 4).join(' ')} ended with ${status}: see ${stdoutPath}`)
  return { cpuSeconds: seconds, wallSeconds: (performance.now() - startedAtMs) / 1_000 }
}

interface Measured {
  readonly cpuSeconds: number
  readonly log: readonly LoggedRequest[]
  readonly reported: Reported
}

async function measure(peer: Peer, load: Load, count: number): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-peers-'))
  const logPath = join(folder, 'log.json')
  const program = join(root, 'tests/live/peer-server.ts')
  const server = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, corpus, logPath],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const [line] = await once(server.stdout, 'data')
  const results = join(folder, 'results')
  await mkdir(results)
  const job = { load, count, port: Number(String(line)), folder: peer === transcribench ? results : folder }
  await writeFile(join(folder, 'clips.jsonl'), clipRows.join(''))
  // guidellm sends each row once.
  await writeFile(join(folder, 'rows.jsonl'), clipRows.join('').repeat(count / clipRows.length))
  const { cpuSeconds } = await timed(peer.command(job), join(folder, 'stdout'))
  const ended = once(server, 'close')
  server.stdin.end()
  await ended
  const log = JSON.parse(await readFile(logPath, 'utf8')) as LoggedRequest[]
  if (log.length < count)
    throw new Error(`${peer.name} sent ${log.length} of ${count} requests: see ${folder}`)
  const measured = { cpuSeconds, log: log.slice(-count), reported: await peer.report(job) }
  await rm(folder, { recursive: true })
  return measured
}

function percentile(values: readonly number[], share: number): number {
  return quantile(sortSamples(values), share) ?? Number.NaN
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** What the server saw of a closed load. */
function truthOf(log: readonly LoggedRequest[]) {
  const latencies = log.map(({ arrivedAtMs, answeredAtMs }) => answeredAtMs - arrivedAtMs)
  const began = Math.min(...log.map(({ arrivedAtMs }) => arrivedAtMs))
  const seconds = (Math.max(...log.map(({ answeredAtMs }) => answeredAtMs)) - began) / 1_000
  const audioSeconds = log.reduce((sum, request) => sum + request.audioSeconds, 0)
  return {
    perSecond: log.length / seconds,
    speed: audioSeconds / seconds,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
  }
}

/** How much later than at even intervals from the earliest one each request arrived, in milliseconds. */
function lagsOf(log: readonly LoggedRequest[]): readonly number[] {
  const arrivals = log.map(({ arrivedAtMs }) => arrivedAtMs).sort((a, b) => a - b)
  const offsets = arrivals.map((arrivedAtMs, index) => arrivedAtMs - (index * 1_000) / perSecond)
  const earliest = Math.min(...offsets)
  return offsets.map((offset) => offset - earliest)
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

async function comparePeers(): Promise<void> {
  const found = peers.map((peer) => ({
    peer,
    short: [] as Measured[],
    long: [] as Measured[],
    paced: [] as Measured[],
  }))
  for (let round = 0; round < rounds; round += 1) {
    for (const entry of round % 2 === 0 ? found : found.toReversed()) {
      process.stderr.write(`round ${round + 1} of ${rounds}: ${entry.peer.name}\n`)
      entry.short.push(await measure(entry.peer, 'closed', requests.short))
      entry.long.push(await measure(entry.peer, 'closed', requests.long))
      entry.paced.push(await measure(entry.peer, 'constant', requests.paced))
    }
  }
  const closed = found.map(({ peer, short, long }) => {
    const truths = long.map(({ log }) => truthOf(log))
    const at = (name: 'perSecond' | 'speed' | 'p50' | 'p95' | 'p99'): number =>
      median(truths.map((truth) => truth[name]))
    const pair = (name: 'p50' | 'p95' | 'p99'): string => {
      const reported = long.flatMap(({ reported }) => reported[name] ?? [])
      return reported.length === 0
        ? `– (${at(name).toFixed(1)})`
        : `${median(reported).toFixed(1)} (${at(name).toFixed(1)})`
    }
    const marginal = long.map(
      ({ cpuSeconds }, round) =>
        (1_000 * (cpuSeconds - (short[round]?.cpuSeconds ?? Number.NaN))) / (requests.long - requests.short),
    )
    const whole = median(long.map(({ cpuSeconds }) => cpuSeconds))
    return [
      peer.name,
      at('perSecond').toFixed(0),
      `${at('speed').toFixed(0)}×`,
      pair('p50'),
      pair('p95'),
      pair('p99'),
      `${median(marginal).toFixed(2)} ms`,
      `${whole.toFixed(1)} s`,
    ]
  })
  const paced = found.map(({ peer, paced: runs }) => {
    const lags = runs.map(({ log }) => lagsOf(log))
    const shares = [0.5, 0.95, 0.99].map((share) =>
      median(lags.map((lag) => percentile(lag, share))).toFixed(1),
    )
    const last = median(lags.map((lag) => lag.at(-1) ?? Number.NaN))
    return [peer.name, ...shares, last.toFixed(1)]
  })
  const latency = (name: string): string => `${name}, ms (log)`
  process.stdout.write(
    `${table(
      [
        '',
        'requests/s',
        'RTFx',
        ...['p50', 'p95', 'p99'].map(latency),
        'CPU per request',
        'CPU of the command',
      ],
      closed,
    )}\n\n${table(['', 'lag p50, ms', 'p95', 'p99', 'of the last request'], paced)}\n\n`,
  )
}

const scorerPrograms: Readonly<Record<string, string>> = {
  jiwer: `
import sys, jiwer
reference, hypothesis = (open(path).read().splitlines() for path in sys.argv[1:3])
print(jiwer.process_words(reference, hypothesis).wer)
if sys.argv[3] == 'both': print(jiwer.process_characters(reference, hypothesis).cer)
`,
  werpy: `
import sys, werpy
reference, hypothesis = (open(path).read().splitlines() for path in sys.argv[1:3])
print(werpy.wer(reference, hypothesis))
`,
}

async function compareScorers(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-peers-'))
  const paths = await writeTexts(folder)
  const cases = (['utterances', 'long'] as const).flatMap((files) =>
    (['words', 'both'] as const).map((only) => ({ files, only })),
  )
  const rows: string[][] = []
  for (const { files, only } of cases) {
    const found: Record<string, number[]> = { transcribench: [], jiwer: [], werpy: [] }
    for (let round = 0; round < rounds; round += 1) {
      for (const name of round % 2 === 0 ? Object.keys(found) : Object.keys(found).toReversed()) {
        // werpy counts words only.
        if (name === 'werpy' && only === 'both') continue
        const command =
          name === 'transcribench'
            ? [...ownProgram, 'wer', ...paths[files], ...(only === 'words' ? ['--only', 'words'] : [])]
            : [python, '-c', scorerPrograms[name] ?? '', ...paths[files], only]
        const { cpuSeconds } = await timed(command, join(folder, 'stdout'))
        found[name]?.push(cpuSeconds)
      }
    }
    const seconds = (name: string): string => {
      const values = found[name] ?? []
      return values.length === 0 ? '–' : `${median(values).toFixed(2)} s`
    }
    const times = median(found['jiwer'] ?? []) / median(found['transcribench'] ?? [])
    rows.push([
      `${files === 'long' ? 'one pair of 50,000 words' : '100,000 pairs of 20 words'}, ${only === 'words' ? 'words' : 'words and characters'}`,
      ...['transcribench', 'jiwer', 'werpy'].map(seconds),
      times.toFixed(1),
    ])
  }
  await rm(folder, { recursive: true })
  process.stdout.write(`${table(['', 'transcribench', 'jiwer', 'werpy', 'times as fast as jiwer'], rows)}\n`)
}

if (!existsSync(join(environment, 'installed'))) {
  await output('python3', ['-m', 'venv', environment])
  await output(python, ['-m', 'pip', 'install', '-q', ...pinned])
  await writeFile(join(environment, 'installed'), pinned.join('\n'))
}
process.stdout.write(
  `${pinned.join(', ')}; Node ${process.version}; ${cpus().length} processors; medians of ${rounds} rounds\n\n`,
)
if (wanted !== 'wer') await comparePeers()
if (wanted !== 'load') await compareScorers()
