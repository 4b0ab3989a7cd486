import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunStatus } from '#journal/run-record'
import { canMount } from '../can-mount.ts'
import type { FaultWorld } from './fault-world.ts'
import { type Fault, type FrontCall, faults } from './faulty-front.ts'
import type { RunningCli } from './run-cli.ts'
import type { ServedGround } from './served-ground.ts'

/** One thing that can go wrong, and how the run has to end. */
export interface FaultRow {
  readonly name: string
  /** Makes it happen, and says how the command ended; null where it was killed. */
  happens(world: FaultWorld): Promise<number | null>
  readonly exit: number | null
  readonly status: RunStatus
  /** Code of what ended the run before its plan was through. */
  readonly ending: string | null
  /** Measured attempts that failed, by what they are counted as. */
  readonly failures: Readonly<Record<string, number>>
  /** Measured requests of which no attempt is in the journal. Left out where chance decides. */
  readonly notSent?: number
  /** A finding that has to be in the evaluation. */
  readonly finding?: string
  /** How a resumed run ends, where that is not 0: what failed stays failed. */
  readonly resumedExit?: number
  /** The Modes are given back by `transcribench modes clean` before the run is resumed, and not by that. */
  readonly isCleaned?: boolean
  /** The death came in the middle of a line of the journal. */
  readonly isTorn?: boolean
  /** Why this machine cannot make it happen. */
  readonly skip?: string | false
}

/** Measured requests of each run: two contenders, two recordings, three rounds. */
const plannedCount = 12

/** Two requests are sent to warm up; of those after them, one of each contender meets the fault. */
const amid: ReadonlySet<number> = new Set([4, 9])
const inTheMiddle = 7

/** A fault that some answers meet, after which the run goes on. */
function met(name: string, fault: Fault, label: string, ...flags: readonly string[]): FaultRow {
  return {
    name,
    async happens(world) {
      world.front.spoil(({ transcription }) => (amid.has(transcription ?? -1) ? fault : null))
      return (await world.run(...flags)).code
    },
    exit: 0,
    status: 'finished',
    ending: null,
    failures: { [label]: amid.size },
    notSent: 0,
  }
}

/** A fault that one answer meets, and that lasts until the request's time is over; long enough for all others. */
function timedOut(name: string, fault: Fault, label: string): FaultRow {
  return {
    ...met(name, fault, label),
    async happens({ front, run }) {
      front.spoil(once(inTheMiddle, fault))
      return (await run('--timeout', '3s')).code
    },
    failures: { [label]: 1 },
  }
}

/** Only the answer to one transcription. */
function once(position: number, fault: Fault): (call: FrontCall) => Fault | null {
  return ({ transcription }) => (transcription === position ? fault : null)
}

const reassigned: Fault = ({ response, text }) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(text)

/** A run as a separate process, which gets a signal while an answer is on its way. */
function signalled(
  name: string,
  signals: readonly NodeJS.Signals[],
  failures: FaultRow['failures'],
): FaultRow {
  return {
    name,
    async happens(world) {
      const command = world.start()
      world.front.spoil(
        once(inTheMiddle, async (answer) => {
          for (const signal of signals) {
            command.process.kill(signal)
            // The next one has to find that the one before was heard.
            await command.said(/stopping/)
          }
          if (signals.length === 1) reassigned(answer)
        }),
      )
      return (await command.ended).code
    },
    exit: 130,
    status: 'interrupted',
    ending: 'INTERRUPTED',
    failures,
    notSent: plannedCount - (inTheMiddle - 1),
  }
}

/** A run as a separate process, which is killed when the answer to a call is about to leave the server. */
function killedAt(name: string, isThen: (call: FrontCall) => boolean): FaultRow {
  return {
    name,
    async happens(world) {
      const command = world.start()
      world.front.spoil((call) => (isThen(call) ? () => void command.process.kill('SIGKILL') : null))
      return (await command.ended).code
    },
    exit: null,
    status: 'started',
    ending: null,
    failures: {},
  }
}

/** Quick enough for every check. What else a client makes of an answer: `tests/client/failures.test.ts`. */
export const quickRows: readonly FaultRow[] = [
  met('a reset before the head of an answer', faults.resetBeforeHead, 'connectionLost'),
  met('a reset in the body of an answer', faults.resetInBody, 'answerCut'),
  timedOut('an answer that never begins', faults.stall, 'timedOut'),
  timedOut('an answer of a byte a second', faults.byteASecond, 'answerStalled'),
  met('HTML with status 200', faults.html, 'malformed'),
  met('429 with Retry-After', faults.tooManyRequests, 'HTTP_429'),
  met('RATE_LIMITED', faults.rateLimited, 'RATE_LIMITED'),
  {
    name: '429 with Retry-After, and retries declared',
    async happens({ front, run }) {
      front.spoil(once(inTheMiddle, faults.tooManyRequests))
      return (await run('--retry', 'HTTP_429')).code
    },
    exit: 0,
    status: 'finished',
    ending: null,
    failures: { HTTP_429: 1 },
    notSent: 0,
  },
  {
    name: 'a model that is gone from one moment on',
    async happens({ front, run }) {
      front.spoil(({ transcription }) => ((transcription ?? 0) >= 4 ? faults.modelNotFound : null))
      return (await run('--rounds', '15', '--max-warmup', '0')).code
    },
    exit: 5,
    status: 'failed',
    ending: 'TARGET_FAILING',
    failures: { MODEL_NOT_FOUND: 40 },
    notSent: 18,
    resumedExit: 5,
  },
  {
    name: 'a server that answers nothing from one moment on',
    async happens({ front, run }) {
      front.spoil(({ transcription }) => ((transcription ?? 0) >= 4 ? faults.stall : null))
      return (await run('--timeout', '2s')).code
    },
    exit: 5,
    status: 'failed',
    ending: 'TARGET_FAILING',
    // Three of each contender's: they take turns.
    failures: { timedOut: 6 },
    notSent: 4,
  },
  {
    name: 'a server that is gone',
    async happens({ front, run }) {
      front.spoil(once(inTheMiddle, () => front.leave()))
      const { code } = await run()
      await front.comeBack()
      return code
    },
    exit: 5,
    status: 'failed',
    ending: 'TARGET_LOST',
    failures: { connectionLost: 1 },
    notSent: 6,
  },
  {
    name: 'a server that moves to another port with another token between two requests',
    async happens({ front, run }) {
      front.spoil(
        once(inTheMiddle, async ({ response, text }) => {
          await front.move()
          response.writeHead(200, { connection: 'close' }).end(text)
        }),
      )
      return (await run()).code
    },
    exit: 0,
    status: 'finished',
    ending: null,
    failures: {},
    notSent: 0,
  },
  {
    name: 'a server that moves to another port with another token and drops a request',
    async happens({ front, run }) {
      front.spoil(
        once(inTheMiddle, async ({ response }) => {
          await front.move()
          response.destroy()
        }),
      )
      return (await run()).code
    },
    exit: 0,
    status: 'finished',
    ending: null,
    failures: { connectionLost: 1 },
    notSent: 0,
  },
  {
    name: 'a clock that is set forward by an hour',
    async happens({ front, run }) {
      const RealDate = globalThis.Date
      front.spoil(
        once(inTheMiddle, (answer) => {
          globalThis.Date = datesLater(3_600_000)
          reassigned(answer)
        }),
      )
      try {
        return (await run()).code
      } finally {
        globalThis.Date = RealDate
      }
    },
    exit: 5,
    status: 'finished',
    ending: null,
    failures: {},
    notSent: 0,
    finding: 'CLOCK_STEPPED',
  },
  {
    name: 'a results disk that is full',
    async happens(world) {
      const { folder, results } = world
      const [disk, kept] = [join(folder, 'disk'), join(folder, 'kept')]
      await mkdir(disk)
      // What was written is copied out before the namespace, and the disk with it, is gone.
      const script = `mount -t tmpfs -o size=120k tmpfs ${disk} || exit 99
        "$@"; code=$?; cp -r ${disk} ${kept}; exit $code`
      const through = ['unshare', '-rm', 'bash', '-c', script, 'bash']
      const { code, stderr } = await world.startThrough(through, '--rounds', '50', '--results', disk).ended
      await cp(kept, results, { recursive: true })
      if (!stderr.includes('RESULTS_DISK_FULL')) throw new Error(`ended with ${code}:\n${stderr}`)
      return code
    },
    exit: 2,
    // The record of its end has no room either.
    status: 'started',
    ending: null,
    failures: {},
    skip: !canMount && 'this user may not mount a small disk',
  },
  signalled('SIGTERM', ['SIGTERM'], {}),
  signalled('a terminal that is closed', ['SIGHUP'], {}),
  signalled('Ctrl-C twice', ['SIGINT', 'SIGINT'], { dropped: 1 }),
  {
    ...killedAt(
      'SIGKILL before a created Mode was heard of',
      ({ method, path }) => method === 'POST' && path === '/modes',
    ),
    isCleaned: true,
  },
  killedAt('SIGKILL before a patched Mode was heard of', ({ method }) => method === 'PATCH'),
  {
    ...killedAt(
      'SIGKILL in a transcription, in the middle of a line of the journal',
      ({ transcription }) => transcription === inTheMiddle,
    ),
    isCleaned: true,
    isTorn: true,
  },
]

/**
 * The real service, killed in the middle of a transcription and started again on another port with another token. It
 * keeps its Modes on disk: those of the run are still there, and are given back on the one that was started again.
 */
export function serviceKilled({ holdAt, held, kill, startAgain }: ServedGround): FaultRow {
  return {
    name: 'a service that is killed in a transcription',
    async happens(world) {
      await holdAt(inTheMiddle)
      const ending = world.run()
      await held()
      await kill()
      const { code } = await ending
      await startAgain()
      return code
    },
    exit: 5,
    status: 'failed',
    ending: 'TARGET_LOST',
    failures: { connectionLost: 1 },
    notSent: plannedCount - (inTheMiddle - 1),
  }
}

/** `Date` as it is, so much later. */
function datesLater(byMs: number): DateConstructor {
  const RealDate = globalThis.Date
  return class extends RealDate {
    constructor(...given: []) {
      if (given.length === 0) super(RealDate.now() + byMs)
      else super(...given)
    }
    static override now(): number {
      return RealDate.now() + byMs
    }
  } as DateConstructor
}

/** For as long as people wait. */
export const slowRows: readonly FaultRow[] = [
  {
    ...met(
      'an answer of a byte a second, waited for to its end',
      faults.byteASecond,
      '',
      '--timeout',
      '10min',
    ),
    failures: {},
  },
  met('an answer that never begins, given the usual time', faults.stall, 'timedOut'),
]

/**
 * A run of a second whose process is killed some time after it has its folder, or is through before.
 *
 * @param againAfterMs when the process that goes on with it is killed as well; null where none is
 */
export function killedAfter(waitMs: number, againAfterMs: number | null): FaultRow {
  const killedIn = async (command: RunningCli, afterMs: number): Promise<number | null> => {
    await command.said(planned)
    await Promise.race([sleep(afterMs), command.ended])
    command.process.kill('SIGKILL')
    return (await command.ended).code
  }
  return {
    name: `SIGKILL after ${waitMs.toFixed(0)} ms`,
    async happens(world) {
      const code = await killedIn(slowly(world), waitMs)
      const { record } = await world.recorded()
      // It may have been killed while it was scored.
      if (againAfterMs === null || record.status === 'finished') return code
      return await killedIn(world.startResuming(), againAfterMs)
    },
    exit: null,
    status: 'started',
    ending: null,
    failures: {},
  }
}

/** Said when the run has its folder, before anything is asked of the server. */
const planned = /target/

/** How long a run takes from then on if it is not killed. */
export async function timeToItsEnd(world: FaultWorld): Promise<number> {
  const command = slowly(world)
  await command.said(planned)
  const startedAtMs = performance.now()
  const { code, stderr } = await command.ended
  if (code !== 0) throw new Error(stderr)
  return performance.now() - startedAtMs
}

function slowly(world: FaultWorld): RunningCli {
  world.front.spoil(({ transcription }) =>
    transcription === null
      ? null
      : async (answer) => {
          await sleep(20)
          reassigned(answer)
        },
  )
  return world.start('--rounds', '12')
}
