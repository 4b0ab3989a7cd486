/**
 * What a fleet asks of Redis and of its coordinator, by simulation: hosts take blocks, measure them, and send their results to one
 * coordinator, which answers one question after the other. Prints the table of docs/scale.md.
 */
import { seededRandom } from '#prelude'

interface Scale {
  readonly hosts: number
  readonly hours: number
  /** Audio of one block. */
  readonly blockSeconds: number
}

interface ScaleResult {
  readonly blocks: number
  readonly measuringHours: number
  readonly commands: number
  readonly peakCommandsPerSecond: number
  readonly redisMegabytes: number
  /** From the end of the last measurement to the last confirmation. */
  readonly collectSeconds: number
  readonly received: number
}

/** Audio seconds that one host transcribes in a second, and by how much blocks differ. */
const speed = 20
const spread = 0.1
/** Mean length of an utterance. */
const utteranceSeconds = 5

/** Commands per block were measured (tests/validate/fleet.validate.ts, rounded up); the others are assumptions. */
const assumed = {
  /** Commands of Redis for one block, without the renewals of its lock and without pieces. */
  commandsPerBlock: 700,
  commandsPerPiece: 14,
  /** In Redis, of a job that waits. */
  bytesPerJob: 1500,
  /** Of a compressed journal, for one attempt. */
  bytesPerAttempt: 150,
  /** Of the coordinator, for one question. */
  secondsPerQuestion: 0.004,
}
const pieceBytes = 512 * 1024
const bytesPerPieceInRedis = (pieceBytes * 4) / 3
const renewalSeconds = 7.5
const commandsPerRenewal = 1

function simulateScale({ hosts, hours, blockSeconds }: Scale): ScaleResult {
  const random = seededRandom(1)
  const blocks = Math.ceil((hours * 3600) / blockSeconds)
  const resultBytes = (blockSeconds / utteranceSeconds) * assumed.bytesPerAttempt
  const pieces = Math.ceil(resultBytes / pieceBytes)
  const questions = 3 + pieces
  const commandsOfBlock =
    assumed.commandsPerBlock +
    pieces * assumed.commandsPerPiece +
    (commandsPerRenewal * blockSeconds) / speed / renewalSeconds
  // Hosts begin within a block of each other, and each goes on when its result is confirmed.
  const freeAt = Float64Array.from({ length: hosts }, () => (random.unit() * blockSeconds) / speed)
  const perMinute = new Map<number, number>()
  let [coordinatorFreeAt, lastMeasuredAt, waitingMost] = [0, 0, 0]
  const queue = heapOf(freeAt)
  for (let block = 0; block < blocks; block += 1) {
    const host = queue.first()
    const startsAt = freeAt[host] ?? 0
    const measuredAt = startsAt + (blockSeconds / speed) * (1 + spread * (2 * random.unit() - 1))
    coordinatorFreeAt = Math.max(coordinatorFreeAt, measuredAt) + questions * assumed.secondsPerQuestion
    waitingMost = Math.max(waitingMost, coordinatorFreeAt - measuredAt)
    lastMeasuredAt = Math.max(lastMeasuredAt, measuredAt)
    freeAt[host] = coordinatorFreeAt
    queue.sink()
    const minute = Math.floor(coordinatorFreeAt / 60)
    perMinute.set(minute, (perMinute.get(minute) ?? 0) + commandsOfBlock)
  }
  const peak = Math.max(...perMinute.values()) / 60
  const waitingResults = Math.min(hosts, waitingMost / (questions * assumed.secondsPerQuestion))
  return {
    blocks,
    measuringHours: lastMeasuredAt / 3600,
    commands: blocks * commandsOfBlock,
    peakCommandsPerSecond: peak,
    redisMegabytes:
      (blocks * assumed.bytesPerJob +
        waitingResults * Math.min(bytesPerPieceInRedis, (resultBytes * 4) / 3)) /
      1e6,
    collectSeconds: coordinatorFreeAt - lastMeasuredAt,
    received: blocks * resultBytes,
  }
}

/** The hosts by the time at which they are free, as a binary heap. */
function heapOf(freeAt: Float64Array): { first(): number; sink(): void } {
  const heap = Uint32Array.from(freeAt.keys())
  const at = (place: number): number => freeAt[heap[place] ?? 0] ?? Number.POSITIVE_INFINITY
  const sink = (from: number): void => {
    let place = from
    for (;;) {
      const [left, right] = [2 * place + 1, 2 * place + 2]
      let least = place
      if (left < heap.length && at(left) < at(least)) least = left
      if (right < heap.length && at(right) < at(least)) least = right
      if (least === place) return
      ;[heap[place], heap[least]] = [heap[least] ?? 0, heap[place] ?? 0]
      place = least
    }
  }
  for (let place = heap.length >> 1; place >= 0; place -= 1) sink(place)
  return { first: () => heap[0] ?? 0, sink: () => sink(0) }
}

const scales: readonly Scale[] = [
  { hosts: 10, hours: 1000, blockSeconds: 3600 },
  { hosts: 100, hours: 10_000, blockSeconds: 3600 },
  { hosts: 1000, hours: 100_000, blockSeconds: 3600 },
  { hosts: 10_000, hours: 1_000_000, blockSeconds: 3600 },
]

export function scaleTable(): string {
  const rows = scales.map((scale) => {
    const found = simulateScale(scale)
    const cells = [
      scale.hosts.toLocaleString('en'),
      scale.hours.toLocaleString('en'),
      found.blocks.toLocaleString('en'),
      `${found.measuringHours.toFixed(1)} h`,
      `${(found.commands / 1e6).toFixed(1)} million`,
      Math.ceil(found.peakCommandsPerSecond).toLocaleString('en'),
      `${Math.ceil(found.redisMegabytes).toLocaleString('en')} MB`,
      `${(found.received / 1e9).toFixed(1)} GB`,
      `${found.collectSeconds.toFixed(1)} s`,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return `| hosts | audio hours | blocks | measuring | commands | peak per second | Redis | received | last result |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`
}

if (import.meta.main) process.stdout.write(scaleTable())
