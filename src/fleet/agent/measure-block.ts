import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashFile } from '#corpus/files'
import { readCorpus } from '#corpus/read-corpus'
import { writeSelection } from '#corpus/select'
import type { VerifiedUtterance } from '#corpus/utterance'
import { replaceFile, writeAt } from '#installation/files'
import type { Clock } from '#load/clock'
import { BenchError } from '#prelude'
import { executeHere } from '#run/measure'
import { sketchLatencies } from '../coordinator/live-latencies.ts'
import { fleetErrors } from '../errors.ts'
import type { Broker } from '../queue/broker.ts'
import { type BlockDocument, type BlockJob, type HostClock, pieceBytes } from '../queue/messages.ts'
import { type AgentHost, ask, findObjects, findOutbox, openHostBroker } from './ask.ts'
import { packResult } from './outbox.ts'

/**
 * Measures a block and packs the result. Everything that the block needs is fetched first, and the connection is then
 * closed. Until the last answer is in the journal the lock of the job is renewed, and hosts of an open load agree on
 * its start; nothing else crosses the network.
 *
 * @returns the folder of the outbox
 * @throws BenchError of everything that prevents a run from completing
 */
export async function measureBlock(host: AgentHost, job: BlockJob): Promise<string> {
  const { env, clock, stop, drop, name } = host
  const { run, part } = job
  const execution = randomUUID()
  const entry = join(findOutbox(host), execution)
  const { document, manifest, offset } = await prepare(host, job, entry)
  let hostClock: HostClock = { ...offset, startErrorMs: null }
  const executed = await executeHere({
    config: {
      ...document.config,
      corpus: manifest,
      results: entry,
      target: host.target ?? document.config.target,
      engines: host.engines ?? document.config.engines,
    },
    part: document.part,
    env,
    clock,
    stop,
    drop,
    command: ['transcribench', 'fleet', 'agent'],
    ...(document.isSynchronised
      ? {
          async beforeMeasuring() {
            hostClock = await awaitStart(host, job)
          },
        }
      : {}),
  })
  const { record, folder, unwritten } = executed
  if (unwritten !== null) throw unwritten
  if (record.status !== 'finished') throw notFinished(record.ending, name)
  const answeredCount = record.counts?.answered ?? 0
  const latencies = await sketchLatencies(folder, document.isSynchronised)
  const about = { run, part, host: name, execution, answeredCount, latencies, clock: hostClock }
  await packResult(entry, folder, about)
  return entry
}

/** Fetches the document of the block and the recordings that are missing here. */
async function prepare(host: AgentHost, { run, documentSha256 }: BlockJob, entry: string) {
  await using broker = await openHostBroker(host, host.stop)
  const source: ObjectSource = {
    objectsFolder: findObjects(host),
    fetchPiece(piece) {
      const id = `fetch-${host.name}-${piece.sha256}-${piece.offset}`
      return ask(broker, run, { kind: 'fetch', id, body: piece, signal: host.stop })
    },
  }
  const path = await fetchObject(documentSha256, source)
  const document = JSON.parse(await readFile(path, 'utf8')) as BlockDocument
  const corpora = [...host.corpora, document.config.corpus]
  const here = await recordingsHere(document.utterances, corpora, host.env)
  const manifest = await provideCorpus(join(entry, 'corpus'), document.utterances, here, source)
  const { offsetMs, uncertaintyMs } = await measureClockOffset(broker, host.clock)
  return { document, manifest, offset: { offsetMs, uncertaintyMs } }
}

function notFinished(ending: { message: string; hint: string } | null, host: string): BenchError {
  return fleetErrors.make('FLEET_BLOCKS_FAILED', {
    message: `${host}: ${ending?.message ?? 'the block was not measured to its end'}`,
    hint: ending?.hint ?? 'see what the target of this host says: transcribench doctor',
  })
}

/** Folder of fetched files by the hashes of their contents, and a function that fetches a piece of one. */
interface ObjectSource {
  readonly objectsFolder: string
  fetchPiece(piece: { sha256: string; offset: number }): Promise<{ base64: string; sizeBytes: number }>
}

/** Maximum size of a file that is sent through Redis. */
const maxFileBytes = 1024 ** 3

/**
 * Makes a corpus of these utterances on this host. It uses recordings of this host with the right content, and
 * fetches the others from the coordinator.
 *
 * @param here recordings of this host, by the hashes of their contents
 * @returns the path of a manifest in the folder
 * @throws BenchError FLEET_FILE_TOO_LARGE, FLEET_BLOCKS_FAILED
 */
async function provideCorpus(
  folder: string,
  utterances: readonly VerifiedUtterance[],
  here: ReadonlyMap<string, string>,
  source: ObjectSource,
): Promise<string> {
  const provided: VerifiedUtterance[] = []
  for (const utterance of utterances) {
    const { sha256 } = utterance
    const audioPath = here.get(sha256) ?? (await fetchObject(sha256, source))
    provided.push({ ...utterance, audioPath })
  }
  return writeSelection(folder, provided)
}

/**
 * Recordings of this host with the wanted contents, by their hashes.
 *
 * @param corpora names or paths of manifests; missing ones are skipped
 */
async function recordingsHere(
  utterances: readonly VerifiedUtterance[],
  corpora: readonly string[],
  env: AgentHost['env'],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Map(utterances.map(({ id, sha256 }) => [id, sha256]))
  const found = new Map<string, string>()
  for (const name of corpora) {
    const corpus = await readCorpus(name, { env }).catch((error: unknown) => {
      if (error instanceof BenchError) return null
      throw error
    })
    for (const { id, audioPath } of corpus?.utterances ?? []) {
      const sha256 = wanted.get(id)
      if (sha256 === undefined || found.has(sha256)) continue
      const isSame = await hashFile(audioPath).then(
        (hash) => hash === sha256,
        () => false,
      )
      if (isSame) found.set(sha256, audioPath)
    }
  }
  return found
}

/** @returns the path of a file with this content, fetched in pieces if it is not there yet */
async function fetchObject(sha256: string, { objectsFolder, fetchPiece }: ObjectSource): Promise<string> {
  const path = join(objectsFolder, sha256)
  if (existsSync(path)) {
    const now = new Date()
    await utimes(path, now, now)
    return path
  }
  await mkdir(objectsFolder, { recursive: true })
  await replaceFile(path, async (draft) => {
    const hash = createHash('sha256')
    await using file = await open(draft, 'w')
    for (let offset = 0, sizeBytes = 1; offset < sizeBytes; offset += pieceBytes) {
      const piece = await fetchPiece({ sha256, offset })
      sizeBytes = piece.sizeBytes
      if (sizeBytes > maxFileBytes) throw tooLarge(sha256, sizeBytes)
      const bytes = Buffer.from(piece.base64, 'base64')
      hash.update(bytes)
      await writeAt(file, bytes, offset)
    }
    if (hash.digest('hex') !== sha256) throw changed(sha256)
    await file.datasync()
  })
  return path
}

function changed(sha256: string): Error {
  return fleetErrors.make('FLEET_BLOCKS_FAILED', {
    message: `the recording ${sha256.slice(0, 12)}… has other content on the coordinator than when the run was planned`,
    hint: 'restore the file on the host of the coordinator, or measure anew: transcribench fleet run',
  })
}

function tooLarge(sha256: string, sizeBytes: number): Error {
  return fleetErrors.make('FLEET_FILE_TOO_LARGE', {
    message: `the recording ${sha256.slice(0, 12)}… has ${Math.round(sizeBytes / 1e6)} MB and is not on this host`,
    hint: 'copy the corpus to the host: transcribench fleet agent --corpus <manifest>',
  })
}

const pauseMs = 500

/**
 * Reports that this host is ready until it receives the common start of all hosts, then waits for it by the clock of
 * Redis. The connection is closed before the start.
 *
 * @throws BenchError FLEET_BLOCKS_FAILED if another host cannot start
 */
async function awaitStart(host: AgentHost, { run, part }: BlockJob): Promise<HostClock> {
  const { clock, stop } = host
  const { startAtMs, offset } = await agreeOnStart()
  const startHereMs = startAtMs - offset.toRedisMs
  await clock.sleepUntil(startHereMs, stop)
  const { offsetMs, uncertaintyMs } = offset
  return { offsetMs, uncertaintyMs, startErrorMs: Math.abs(clock.nowMs() - startHereMs) }

  async function agreeOnStart() {
    await using broker = await openHostBroker(host, stop)
    const body = { part, host: host.name }
    for (;;) {
      const id = `ready-${host.name}-${part}-${randomUUID()}`
      const { startAtMs } = await ask(broker, run, { kind: 'ready', id, body, signal: stop })
      if (startAtMs !== null) return { startAtMs, offset: await measureClockOffset(broker, clock) }
      await sleep(pauseMs, undefined, { signal: stop })
    }
  }
}

/** Offset of this host's clock to the clock of Redis. */
interface ClockOffset extends Omit<HostClock, 'startErrorMs'> {
  /** Milliseconds to add to `nowMs` of this host's monotonic clock for the time of Redis. */
  readonly toRedisMs: number
}

const roundTrips = 20

/**
 * Measures the offset to the clock of Redis by the shortest round trip.
 *
 *   sent ──────► TIME ──────► received        TIME = midpoint ± half of the round trip
 *
 * @see D. L. Mills, RFC 5905, section 8: the on-wire protocol of NTP
 */
export async function measureClockOffset(broker: Broker, clock: Clock): Promise<ClockOffset> {
  let best: ClockOffset | null = null
  for (let trip = 0; trip < roundTrips; trip += 1) {
    const wallMs = clock.today().getTime()
    const sentMs = clock.nowMs()
    const redisMs = await broker.nowMs()
    const receivedMs = clock.nowMs()
    const uncertaintyMs = (receivedMs - sentMs) / 2
    if (best !== null && uncertaintyMs >= best.uncertaintyMs) continue
    const toRedisMs = redisMs - (sentMs + receivedMs) / 2
    best = { toRedisMs, offsetMs: redisMs - (wallMs + uncertaintyMs), uncertaintyMs }
  }
  if (best === null) throw new RangeError('no round trip')
  return best
}
