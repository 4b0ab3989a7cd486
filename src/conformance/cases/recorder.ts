import { ask, objectOf, type Reply } from '../ask.ts'
import {
  type ConformanceCase,
  type Fault,
  judge,
  named,
  notApplicable,
  reads,
  risks,
  type Verdict,
} from '../conformance-case.ts'
import type { Exchange } from '../exchange.ts'
import {
  describeReply,
  expectAnswer,
  expectRefusal,
  expectSame,
  expectShape,
  expectStatus,
} from '../expect-reply.ts'
import { recorderShape } from '../shapes.ts'
import { except, inTurn } from './access.ts'
import { search } from './recordings.ts'

const linux = ['linux'] as const

/** The live microphone. Every case leaves it idle. */
export const recorderCases: readonly ConformanceCase[] = [
  reads('recorder.elsewhere', except('linux'), async (exchange) => {
    const cancelled = expectRefusal(await cancel(exchange), 'INVALID_REQUEST', { status: 404 })
    // A service that does know the recorder is not asked to start it.
    if (cancelled !== null) return judge(cancelled)
    return judge(expectRefusal(await toggle(exchange), 'INVALID_REQUEST', { status: 404 }))
  }),
  risks('recorder.authentication', linux, async (exchange) =>
    judge(
      await inTurn(['cancel', 'toggle'], async (verb) =>
        expectStatus(
          await ask(exchange, 'POST', `/recording/${verb}`, { headers: { authorization: null } }),
          401,
        ),
      ),
    ),
  ),
  risks('recorder.no-microphone', linux, async (exchange) => {
    await cancel(exchange)
    const reply = await toggle(exchange)
    if (reply.json['ok'] === true) {
      await cancel(exchange)
      return notApplicable('the service has a microphone')
    }
    const { hint } = objectOf(reply.json['error']) as Readonly<Record<'hint', unknown>>
    return judge(
      expectRefusal(reply, 'ENGINE_UNAVAILABLE'),
      typeof hint === 'string' ? null : `${describeReply(reply)}; a hint was due`,
    )
  }),
  risks('recorder.starts', linux, (exchange) =>
    whileRecording(exchange, async (started) => judge(expectState(started, ['recording']))),
  ),
  named(
    'recording',
    risks('recorder.cancel', linux, async (exchange) => {
      const before = (await search(exchange, {})).json['total']
      return whileRecording(exchange, async () => {
        const cancelled = await cancel(exchange)
        const after = await search(exchange, {})
        return judge(
          expectState(cancelled, ['idle']),
          expectSame(after, 'total', after.json['total'], before),
        )
      })
    }),
  ),
  named(
    'transcribing',
    risks('recorder.cancel', linux, async (exchange) => {
      const before = (await search(exchange, {})).json['total']
      return whileRecording(exchange, async () => {
        await exchange.wait(recordingMs)
        let isOver = false
        const stopped = toggle(exchange).finally(() => {
          isOver = true
        })
        await exchange.wait(transcribingMs)
        if (isOver) return notApplicable('the transcription was over before it could be cancelled')
        const cancelled = await cancel(exchange)
        await stopped
        const after = await search(exchange, {})
        return judge(
          expectState(cancelled, ['idle']),
          expectSame(after, 'total', after.json['total'], before),
          expectState(await toggle(exchange), ['recording']),
        )
      })
    }),
  ),
  risks('recorder.stops', linux, async (exchange) => {
    const before = Number((await search(exchange, {})).json['total'])
    return whileRecording(exchange, async () => {
      await exchange.wait(recordingMs)
      const stopped = await toggle(exchange)
      if (stopped.json['ok'] === false)
        return notApplicable(`nothing was transcribed: ${describeReply(stopped)}`)
      const after = await search(exchange, {})
      return judge(
        expectState(stopped, ['completed', 'idle']),
        expectSame(after, 'total', after.json['total'], before + 1),
      )
    })
  }),
  risks('recorder.completed', linux, (exchange) =>
    whileRecording(exchange, async () => {
      await exchange.wait(recordingMs)
      const stopped = await toggle(exchange)
      if (stopped.json['ok'] === false)
        return notApplicable(`nothing was transcribed: ${describeReply(stopped)}`)
      return judge(expectState(stopped, ['completed']), expectState(await cancel(exchange), ['idle']))
    }),
  ),
  risks('recorder.busy', linux, (exchange) =>
    whileRecording(exchange, async () => {
      await exchange.wait(recordingMs)
      const [stopped, refused] = await Promise.all([toggle(exchange), toggle(exchange)])
      if (stopped.json['ok'] === true && refused.json['ok'] === true) {
        return notApplicable('the transcription was over before it could be disturbed')
      }
      const busy = stopped.json['ok'] === true ? refused : stopped
      return judge(expectRefusal(busy, 'INVALID_REQUEST', { status: 400 }))
    }),
  ),
]

/** Long enough for a sound, short enough for a patient person. */
const recordingMs = 300

/** After which a request has arrived, and no transcription is over. */
const transcribingMs = 20

function toggle(exchange: Exchange): Promise<Reply> {
  return ask(exchange, 'POST', '/recording/toggle')
}

function cancel(exchange: Exchange): Promise<Reply> {
  return ask(exchange, 'POST', '/recording/cancel')
}

/** Starts the recorder from idle, and leaves it idle whatever the case comes to. */
async function whileRecording(
  exchange: Exchange,
  check: (started: Reply) => Promise<Verdict>,
): Promise<Verdict> {
  await cancel(exchange)
  try {
    const started = await toggle(exchange)
    const hasNone = expectRefusal(started, 'ENGINE_UNAVAILABLE') === null
    if (hasNone) return notApplicable('the service has no microphone')
    return await check(started)
  } finally {
    await cancel(exchange)
  }
}

function expectState(reply: Reply, states: readonly string[]): Fault {
  const { state } = objectOf(reply.json['recording']) as Readonly<Record<'state', unknown>>
  return (
    expectAnswer(reply, 'toggleRecorder') ??
    expectShape(reply, recorderShape, reply.json['recording'], 'recording') ??
    (states.some((due) => due === state)
      ? null
      : `${describeReply(reply)}; the state ${states.join(' or ')} was due`)
  )
}
