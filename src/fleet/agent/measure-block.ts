import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchError } from '#prelude'
import { executeHere } from '#session/measure'
import { sketchLatencies } from '../coordinator/live-latencies.ts'
import { fleetErrors } from '../errors.ts'
import { type Broker, openBroker } from '../queue/broker.ts'
import { measureClockOffset } from '../queue/clock-offset.ts'
import type { BlockDocument, BlockJob, HostClock } from '../queue/messages.ts'
import { type AgentHost, connectionName, outboxOf } from './agent-host.ts'
import { ask } from './ask.ts'
import { packResult } from './outbox.ts'
import { fetchObject, provideCorpus } from './provide-corpus.ts'
import { awaitStart } from './synchronised-start.ts'

/**
 * Measures a block and packs what came of it. All that the block needs is fetched before; then the connection is closed, so that no
 * message crosses the network until the last answer is in the journal.
 *
 * @returns the folder of the outbox
 * @throws BenchError of everything that keeps a run from its end
 */
export async function measureBlock(host: AgentHost, job: BlockJob): Promise<string> {
  const { env, clock, stop, drop, name } = host
  const { run, part } = job
  const execution = randomUUID()
  const entry = join(outboxOf(host), execution)
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
    ...{ env, clock, stop, drop },
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

/** Fetches the block and the recordings that are missing here. */
async function prepare(
  host: AgentHost,
  { run, documentSha256 }: BlockJob,
  entry: string,
): Promise<{ document: BlockDocument; manifest: string; offset: Omit<HostClock, 'startErrorMs'> }> {
  await using broker = await openBroker(host.address, connectionName(host), host.stop)
  const objectsFolder = join(host.dataFolder, 'objects')
  const source = {
    objectsFolder,
    env: host.env,
    fetchPiece: (piece: { sha256: string; offset: number }) => fetchPiece(broker, run, { host, piece }),
  }
  const path = await fetchObject(documentSha256, source)
  const document = JSON.parse(await readFile(path, 'utf8')) as BlockDocument
  const corpora = [...host.corpora, document.config.corpus]
  const manifest = await provideCorpus(join(entry, 'corpus'), document.utterances, { ...source, corpora })
  const { offsetMs, uncertaintyMs } = await measureClockOffset(broker, host.clock)
  return { document, manifest, offset: { offsetMs, uncertaintyMs } }
}

function fetchPiece(
  broker: Broker,
  run: string,
  { host, piece }: { host: AgentHost; piece: { sha256: string; offset: number } },
): Promise<{ base64: string; sizeBytes: number }> {
  const id = `fetch-${host.name}-${piece.sha256}-${piece.offset}`
  return ask(broker, run, { kind: 'fetch', id, body: piece, signal: host.stop })
}

function notFinished(ending: { message: string; hint: string } | null, host: string): BenchError {
  return fleetErrors.make('FLEET_BLOCKS_FAILED', {
    message: `${host}: ${ending?.message ?? 'the block was not measured to its end'}`,
    hint: ending?.hint ?? 'see what the target of this host says: transcribench doctor',
  })
}
