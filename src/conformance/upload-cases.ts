import { limitMessages, limits } from '#contract'
import { ask, objectOf, type Reply } from '../ask.ts'
import {
  type ConformanceCase,
  type Fault,
  judge,
  named,
  notApplicable,
  reads,
  type Verdict,
} from '../conformance-case.ts'
import type { Exchange } from '../exchange.ts'
import { describeReply, expectBare, expectRefusal } from '../expect-reply.ts'
import { listModes } from '../modes-of-ours.ts'
import { except, inTurn } from './access.ts'
import { withFiles } from './audio-files.ts'
import { multipartFrame } from './multipart.ts'
import { framed, inOnePiece, oversized } from './oversized.ts'
import { transcribe, withVoice } from './transcription.ts'

const tooLong = limits.requestBytes + 1
const tooLongForLegacy = limits.legacyWindowsRequestBytes + 1
const overLimit = { message: limitMessages.request }
const asMalformed = { status: 400, message: limitMessages.legacyWindows }

/** How much audio and how long a body is taken, and how more is refused. None of it is ever transcribed. */
export const limitCases: readonly ConformanceCase[] = [
  named(
    'chunked',
    reads('limits.transcribe', except('windows-legacy'), async (exchange) =>
      judge(expectRefusal(await send(exchange, base64Body(tooLong)), 'INVALID_REQUEST', overLimit)),
    ),
  ),
  named(
    'announced',
    reads('limits.transcribe', except('windows-legacy'), async (exchange) =>
      judge(
        expectRefusal(await send(exchange, inOnePiece(base64Body(tooLong))), 'INVALID_REQUEST', overLimit),
      ),
    ),
  ),
  reads('limits.accepted', except('windows-legacy'), async (exchange) => {
    const reply = await send(exchange, base64Body(limits.requestBytes))
    const isRefused = reply.status !== 200 || messageOf(reply) === limitMessages.request
    return judge(isRefused ? describeReply(reply) : null)
  }),
  reads('limits.envelope', ['macos', 'windows'], (exchange) =>
    onOtherRoutes(exchange, tooLong, (reply) => expectRefusal(reply, 'INVALID_REQUEST', overLimit)),
  ),
  reads('limits.bare-413', ['linux'], (exchange) =>
    onOtherRoutes(exchange, tooLong, (reply) => expectBare(reply, 413)),
  ),
  reads('limits.legacy', ['windows-legacy'], async (exchange) => {
    const onTranscribe = expectRefusal(
      await send(exchange, base64Body(tooLongForLegacy)),
      'INVALID_REQUEST',
      asMalformed,
    )
    if (onTranscribe !== null) return judge(onTranscribe)
    return onOtherRoutes(exchange, tooLongForLegacy, (reply) =>
      expectRefusal(reply, 'INVALID_REQUEST', asMalformed),
    )
  }),
  reads('limits.audio-file', except('windows-legacy'), (exchange) =>
    withZeros(exchange, async (zeros) =>
      judge(
        expectRefusal(await zeros(limits.audioBytes + 1), 'INVALID_REQUEST', {
          message: limitMessages.audio,
        }),
        expectUndecoded(await zeros(limits.audioBytes)),
      ),
    ),
  ),
  reads('limits.audio-file-legacy', ['windows-legacy'], (exchange) =>
    withZeros(exchange, async (zeros) => judge(expectUndecoded(await zeros(limits.audioBytes + 1)))),
  ),
  reads('limits.audio-part', ['linux'], (exchange) =>
    withVoice(exchange, async (voice) => {
      const { head, tail, contentType } = multipartFrame(voice)
      const body = surrounded(head, tail, limits.audioBytes + 1)
      const headers = { 'content-type': contentType }
      const reply = await ask(exchange, 'POST', '/transcribe', { body, headers })
      return judge(expectRefusal(reply, 'INVALID_REQUEST', { message: limitMessages.audio }))
    }),
  ),
]

/** A request of this many bytes that names no engine there is: a server that takes it does no work. */
function base64Body(sizeBytes: number): Iterable<Uint8Array> {
  const named = '{"engine":"no-such-engine","model":"no-such-model","mime_type":"audio/wav","audio_base64":"'
  return framed(named, '"}', sizeBytes)
}

function* surrounded(head: Uint8Array, tail: Uint8Array, zeroBytes: number): Iterable<Uint8Array> {
  yield head
  yield new Uint8Array(zeroBytes)
  yield tail
}

function send(exchange: Exchange, body: Uint8Array | Iterable<Uint8Array>): Promise<Reply> {
  return ask(exchange, 'POST', '/transcribe', { body })
}

async function onOtherRoutes(
  exchange: Exchange,
  sizeBytes: number,
  expect: (reply: Reply) => Fault,
): Promise<Verdict> {
  const [mode] = await listModes(exchange)
  if (mode === undefined) return notApplicable('there is no Mode to send a PATCH to')
  const routes = [
    ['POST', '/modes'],
    ['PATCH', `/modes/${mode['id']}`],
    ['POST', '/post-process'],
  ] as const
  return judge(
    await inTurn(routes, async ([method, target]) =>
      expect(await ask(exchange, method, target, { body: oversized(sizeBytes) })),
    ),
  )
}

/** Files of nothing but zeros, which no decoder takes. */
function withZeros(
  exchange: Exchange,
  check: (zeros: (zeroBytes: number) => Promise<Reply>) => Promise<Verdict>,
): Promise<Verdict> {
  return withFiles(exchange, (files) =>
    withVoice(exchange, (voice) =>
      check(async (zeroBytes) =>
        transcribe(exchange, { file: await files.place(`zeros-${zeroBytes}.wav`, { zeroBytes }), ...voice }),
      ),
    ),
  )
}

function expectUndecoded(reply: Reply): Fault {
  return expectRefusal(reply, 'AUDIO_DECODE_FAILED')
}

function messageOf(reply: Reply): unknown {
  return objectOf(reply.json['error'])['message']
}
