import { limits, platforms } from '#contract/enums'
import { type FailureCode, limitMessages } from '#contract/failures'
import { framed, inOnePiece, oversized } from './access-cases.ts'
import {
  ask,
  asObject,
  type ConformanceCase,
  type Exchange,
  except,
  type Fault,
  type Finding,
  inTurn,
  type JsonObject,
  notApplicable,
  type ReadableFolder,
  type Reply,
  reads,
  writes,
} from './conformance-case.ts'
import {
  describeReply,
  expectAnswer,
  expectBare,
  expectRefusal,
  expectSame,
  listModes,
} from './expect-reply.ts'
import { installedVoice } from './inventory-cases.ts'
import { multipartFrame, transcribe, transcribes, withVoice } from './transcription-cases.ts'

const tooLong = limits.requestBytes + 1
const tooLongForLegacy = limits.legacyWindowsRequestBytes + 1
const overLimit = { message: limitMessages.request }
const asMalformed = { status: 400, message: limitMessages.legacyWindows }

/** Cases about the limits of audio and body sizes; nothing is transcribed. */
export const limitCases: readonly ConformanceCase[] = [
  reads('limits.transcribe/chunked', except('windows-legacy'), async (exchange) =>
    expectRefusal(await send(exchange, base64Body(tooLong)), 'INVALID_REQUEST', overLimit),
  ),
  reads('limits.transcribe/announced', except('windows-legacy'), async (exchange) =>
    expectRefusal(await send(exchange, inOnePiece(base64Body(tooLong))), 'INVALID_REQUEST', overLimit),
  ),
  reads('limits.accepted', except('windows-legacy'), async (exchange) => {
    const reply = await send(exchange, base64Body(limits.requestBytes))
    const isRefused =
      reply.status !== 200 || asObject(reply.json['error'])['message'] === limitMessages.request
    return isRefused ? describeReply(reply) : null
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
    if (onTranscribe !== null) return onTranscribe
    return onOtherRoutes(exchange, tooLongForLegacy, (reply) =>
      expectRefusal(reply, 'INVALID_REQUEST', asMalformed),
    )
  }),
  reads('limits.audio-file', except('windows-legacy'), (exchange) =>
    withZeros(exchange, async (zeros) => [
      expectRefusal(await zeros(limits.audioBytes + 1), 'INVALID_REQUEST', {
        message: limitMessages.audio,
      }),
      expectUndecoded(await zeros(limits.audioBytes)),
    ]),
  ),
  reads('limits.audio-file-legacy', ['windows-legacy'], (exchange) =>
    withZeros(exchange, async (zeros) => expectUndecoded(await zeros(limits.audioBytes + 1))),
  ),
  reads('limits.audio-part', ['linux'], (exchange) =>
    withVoice(exchange, async (voice) => {
      const { head, tail, contentType } = multipartFrame(voice)
      const body = surrounded(head, tail, limits.audioBytes + 1)
      const headers = { 'content-type': contentType }
      const reply = await ask(exchange, 'POST', '/transcribe', { body, headers })
      return expectRefusal(reply, 'INVALID_REQUEST', { message: limitMessages.audio })
    }),
  ),
]

/** A request of `sizeBytes` that names an unknown engine, so that a server that accepts it does no work. */
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
): Promise<Finding> {
  const [mode] = await listModes(exchange)
  if (mode === undefined) return notApplicable('there is no Mode to send a PATCH to')
  const routes = [
    ['POST', '/modes'],
    ['PATCH', `/modes/${mode['id']}`],
    ['POST', '/post-process'],
  ] as const
  return await inTurn(routes, async ([method, target]) =>
    expect(await ask(exchange, method, target, { body: oversized(sizeBytes) })),
  )
}

/** Transcribes files of zeros, which no decoder accepts. */
function withZeros(
  exchange: Exchange,
  check: (zeros: (zeroBytes: number) => Promise<Reply>) => Promise<Finding>,
): Promise<Finding> {
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

/** Cases about stalled clients and damaged files: none may affect other requests, or yield a wrong text. */
export const resilienceCases: readonly ConformanceCase[] = [
  transcribes('transcription.hang-up', platforms, async (exchange, voice) => {
    const { pid } = await health(exchange)
    const body = JSON.stringify(spoken(exchange, exchange.audio.minute, voice))
    await Promise.all(
      hangUpAfterMs.map((milliseconds) =>
        ask(exchange, 'POST', '/transcribe', { body, hangUp: exchange.wait(milliseconds) }),
      ),
    )
    const next = await transcribe(exchange, spoken(exchange, exchange.audio.second, voice))
    const after = await health(exchange)
    return [expectAnswer(next, 'transcribe'), expectSame(after.reply, 'pid', after.pid, pid)]
  }),
  transcribes(
    'transcription.damaged-header',
    platforms,
    async (exchange, voice) =>
      await inTurn(damagedHeaders(exchange.audio.second), async (bytes) =>
        expectRefusal(await transcribe(exchange, spoken(exchange, bytes, voice)), 'AUDIO_DECODE_FAILED'),
      ),
  ),
  // Older Windows builds reject bodies of that size.
  transcribes('limits.stalled-uploads', except('windows-legacy'), async (exchange, voice) => {
    const isAnswered = Promise.withResolvers<void>()
    const patience = exchange.wait(stalled.startMs).then(() => waitUntil(exchange, isAnswered.promise))
    const uploads = Promise.all(
      Array.from({ length: stalled.count }, () =>
        ask(exchange, 'POST', '/transcribe', {
          body: '{"audio_base64":"',
          announcedBytes: stalled.announcedBytes,
          hangUp: patience,
        }),
      ),
    )
    await exchange.wait(stalled.startMs)
    const asking = transcribe(exchange, spoken(exchange, exchange.audio.second, voice))
    const first = await Promise.race([asking, uploads.then(() => null)])
    isAnswered.resolve()
    await Promise.all([uploads, asking])
    return first === null
      ? `a transcription waited until ${stalled.count} stalled uploads had ended`
      : expectAnswer(first, 'transcribe')
  }),
]

/** Delays in milliseconds that end the connection during upload, decoding and transcription. */
const hangUpAfterMs = [5, 20, 50, 100, 200, 400]

/** The uploads stall until the transcription is answered, at most for `forMs` in milliseconds. */
const stalled = { count: 24, announcedBytes: 40 * 2 ** 20, startMs: 200, forMs: 20_000, stepMs: 200 }

/** Waits in many short steps, because each step takes longer on a busy machine, which extends the limit. */
async function waitUntil(exchange: Exchange, answered: Promise<void>): Promise<void> {
  let isOver = false
  void answered.then(() => {
    isOver = true
  })
  for (let passedMs = 0; passedMs < stalled.forMs && !isOver; passedMs += stalled.stepMs) {
    await exchange.wait(stalled.stepMs)
  }
}

function spoken({ base64 }: Exchange, bytes: Uint8Array, voice: JsonObject): JsonObject {
  return { mime_type: 'audio/wav', audio_base64: base64(bytes), ...voice }
}

async function health(exchange: Exchange): Promise<{ readonly reply: Reply; readonly pid: unknown }> {
  const reply = await ask(exchange, 'GET', '/health')
  return { reply, pid: reply.json['pid'] }
}

/** IMA ADPCM, whose format chunk is longer than that of PCM because it has the block size. */
const adpcm = 0x11

/** @param wav WAV file with a header of 44 bytes */
function damagedHeaders(wav: Uint8Array): readonly Uint8Array[] {
  const patched = (patch: (view: DataView) => void): Uint8Array => {
    const bytes = wav.slice()
    patch(new DataView(bytes.buffer))
    return bytes
  }
  const dataBytes = wav.length - 44
  return [
    patched((view) => view.setUint16(20, adpcm, true)),
    patched((view) => view.setUint16(22, 0, true)),
    patched((view) => {
      view.setUint32(4, wav.length - 8 + dataBytes, true)
      view.setUint32(40, 2 * dataBytes, true)
    }),
  ]
}

/** Cases about audio that a request names by path: readable and unreadable files. */
export const audioFileCases: readonly ConformanceCase[] = [
  reads('transcription.outside-macos', ['macos'], (exchange) =>
    refusesOutside(exchange, 'FILE_ACCESS_DENIED'),
  ),
  reads('transcription.outside-elsewhere', except('macos'), (exchange) =>
    refusesOutside(exchange, 'FILE_NOT_ALLOWED'),
  ),
  reads('transcription.outside-silent', platforms, async (exchange) => {
    const { existing, missing } = exchange.outside
    const [there, notThere] = [await askForFile(exchange, existing), await askForFile(exchange, missing)]
    return expectSame(
      there,
      'the refusal of a file that is there',
      describeRefusal(there, existing),
      describeRefusal(notThere, missing),
    )
  }),
  writes('transcription.file', platforms, (exchange) =>
    withFiles(exchange, (files) =>
      withVoice(exchange, async (voice) => {
        const file = await files.place('tone.wav', exchange.audio.second)
        return expectAnswer(await transcribe(exchange, { file, ...voice }), 'transcribe')
      }),
    ),
  ),
  reads('transcription.missing-file', platforms, (exchange) =>
    withFiles(exchange, async (files) =>
      expectRefusal(await askForFile(exchange, files.pathOf('missing.wav')), 'FILE_NOT_FOUND'),
    ),
  ),
  reads('transcription.symlink', platforms, (exchange) =>
    withFiles(exchange, async (files) => {
      const link = await files.link('link.wav', exchange.outside.existing)
      if (link === null) return notApplicable('this system makes no symbolic links')
      return expectRefusal(await askForFile(exchange, link), ['FILE_ACCESS_DENIED', 'FILE_NOT_ALLOWED'])
    }),
  ),
]

/** Sends a request that is valid except perhaps for its file. */
async function askForFile(exchange: Exchange, file: string): Promise<Reply> {
  const voice = await installedVoice(exchange)
  const [mode] = await listModes(exchange)
  return transcribe(exchange, { file, ...(voice ?? { mode_id: mode?.['id'] }) })
}

async function refusesOutside(exchange: Exchange, code: FailureCode): Promise<Finding> {
  const { existing, missing } = exchange.outside
  return [
    expectRefusal(await askForFile(exchange, existing), code),
    expectRefusal(await askForFile(exchange, missing), code),
  ]
}

/** A refusal without the path, which the client knows already. */
function describeRefusal(reply: Reply, path: string): unknown {
  const { code, message, hint } = asObject(reply.json['error']) as Readonly<Record<string, unknown>>
  return [reply.status, code, ...[message, hint].map((text) => String(text ?? '').replaceAll(path, '<file>'))]
}

/** Runs a check that creates files in a folder that the service may read. */
async function withFiles(
  { files }: Exchange,
  check: (files: ReadableFolder) => Promise<Finding>,
): Promise<Finding> {
  return files === null
    ? notApplicable('no folder is known that the service may read: --files')
    : check(files)
}
