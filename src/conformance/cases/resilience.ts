import { platforms } from '#contract'
import { ask, type JsonObject, type Reply } from '../ask.ts'
import { broken, type ConformanceCase, judge, writes } from '../conformance-case.ts'
import type { Exchange } from '../exchange.ts'
import { expectAnswer, expectRefusal, expectSame } from '../expect-reply.ts'
import { except, inTurn } from './access.ts'
import { transcribe, withVoice } from './transcription.ts'

/** Clients that leave or stall, and files with a wrong header: none of them may cost another request, or give a wrong text. */
export const resilienceCases: readonly ConformanceCase[] = [
  writes('transcription.hang-up', platforms, (exchange) =>
    withVoice(exchange, async (voice) => {
      const { pid } = await health(exchange)
      const json = spoken(exchange, exchange.audio.minute, voice)
      await Promise.all(
        hangUpAfterMs.map((milliseconds) =>
          ask(exchange, 'POST', '/transcribe', { json, hangUp: exchange.wait(milliseconds) }),
        ),
      )
      const next = await transcribe(exchange, spoken(exchange, exchange.audio.second, voice))
      const after = await health(exchange)
      return judge(expectAnswer(next, 'transcribe'), expectSame(after.reply, 'pid', after.pid, pid))
    }),
  ),
  writes('transcription.damaged-header', platforms, (exchange) =>
    withVoice(exchange, async (voice) =>
      judge(
        await inTurn(damagedHeaders(exchange.audio.second), async (bytes) =>
          expectRefusal(await transcribe(exchange, spoken(exchange, bytes, voice)), 'AUDIO_DECODE_FAILED'),
        ),
      ),
    ),
  ),
  // Older Windows builds take no body of that size.
  writes('limits.stalled-uploads', except('windows-legacy'), (exchange) =>
    withVoice(exchange, async (voice) => {
      const uploads = Promise.all(
        Array.from({ length: stalled.count }, () =>
          ask(exchange, 'POST', '/transcribe', {
            body: '{"audio_base64":"',
            announcedBytes: stalled.announcedBytes,
            hangUp: exchange.wait(stalled.forMs),
          }),
        ),
      )
      await exchange.wait(stalled.startMs)
      const asking = transcribe(exchange, spoken(exchange, exchange.audio.second, voice))
      const first = await Promise.race([asking, uploads.then(() => null)])
      await Promise.all([uploads, asking])
      return first === null
        ? broken(`a transcription waited until ${stalled.count} stalled uploads had ended`)
        : judge(expectAnswer(first, 'transcribe'))
    }),
  ),
]

/** While the body arrives, while it is decoded, while it is transcribed. */
const hangUpAfterMs = [5, 20, 50, 100, 200, 400]

const stalled = { count: 24, announcedBytes: 40 * 2 ** 20, startMs: 200, forMs: 5_000 }

function spoken({ base64 }: Exchange, bytes: Uint8Array, voice: JsonObject): JsonObject {
  return { mime_type: 'audio/wav', audio_base64: base64(bytes), ...voice }
}

async function health(exchange: Exchange): Promise<{ readonly reply: Reply; readonly pid: unknown }> {
  const reply = await ask(exchange, 'GET', '/health')
  return { reply, pid: reply.json['pid'] }
}

/** IMA ADPCM, whose format chunk is longer than that of PCM and says how large a block is. */
const adpcm = 0x11

/** @param wav with a header of 44 bytes */
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
