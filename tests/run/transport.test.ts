import { describe, expect, test } from 'vitest'
import type { TranscribeCall, TranscribeResult } from '#client/connection'
import { limits, type Platform, platforms } from '#contract/enums'
import type { VerifiedUtterance } from '#corpus/utterance'
import { BenchError } from '#prelude'
import { type Sender, transcriptionSender } from '#run/execute/senders'
import { planRoutes, type TransportFacts, type WantedTransport } from '#run/execute/transport'
import { aRequest } from './carried-out.ts'

const mebibyte = 1_048_576

function utterance(sizeBytes: number, id = 'one'): VerifiedUtterance {
  const unknown = { language: null, speaker: null, source: null, derived: null }
  const lists = { alternatives: [], keywords: [], entities: [], times: [], tags: [] }
  const audio = { audioPath: `/corpus/${id}.wav`, mimeType: 'audio/wav', sha256: '', durationSeconds: 1 }
  return {
    id,
    text: '',
    hasChoices: false,
    isDraft: false,
    line: 1,
    sizeBytes,
    ...audio,
    ...lists,
    ...unknown,
  }
}

function facts(platform: Platform | null, more: Partial<TransportFacts> = {}): TransportFacts {
  return { platform, mayRead: () => false, canStage: false, ...more }
}

function transportsOf(sizeBytes: number, wanted: WantedTransport, given: TransportFacts): readonly string[] {
  try {
    const one = utterance(sizeBytes)
    return planRoutes([one], wanted, given)
      .of(one)
      .map(({ transport }) => transport)
  } catch (error) {
    if (error instanceof BenchError) return [error.code]
    throw error
  }
}

describe('auto', () => {
  test.each(platforms)(
    'on %s takes the path where the file may be read, and has base64 to fall back on',
    (platform) => {
      const readable = facts(platform, { mayRead: () => true })
      expect(transportsOf(1000, 'auto', readable).slice(0, 2)).toEqual(['path', 'base64'])
      expect(transportsOf(1000, 'auto', facts(platform))[0]).toBe('base64')
    },
  )

  test('carries in a form what is too long for base64, on Linux only', () => {
    expect(transportsOf(40 * mebibyte, 'auto', facts('linux'))).toEqual(['multipart'])
    for (const platform of ['macos', 'windows', 'windows-legacy', null] as const) {
      expect(transportsOf(40 * mebibyte, 'auto', facts(platform))).toEqual(['AUDIO_TOO_LARGE'])
      const staging = facts(platform, { canStage: true })
      expect(transportsOf(40 * mebibyte, 'auto', staging)).toEqual(['staged'])
    }
  })

  test('knows the limit of each build to the byte', () => {
    const around = { mode_id: '0'.repeat(36), mime_type: 'audio/wav', audio_base64: '' }
    const room = (requestBytes: number): number =>
      Math.floor((requestBytes - JSON.stringify(around).length) / 4) * 3
    const largest = room(limits.requestBytes)
    const largestLegacy = room(limits.legacyWindowsRequestBytes)
    for (const platform of ['macos', 'windows', 'linux', null] as const) {
      expect(transportsOf(largest, 'base64', facts(platform))).toEqual(['base64'])
      expect(transportsOf(largest + 1, 'base64', facts(platform))).toEqual(['AUDIO_TOO_LARGE'])
    }
    expect(transportsOf(largestLegacy, 'base64', facts('windows-legacy'))).toEqual(['base64'])
    expect(transportsOf(largestLegacy + 1, 'base64', facts('windows-legacy'))).toEqual(['AUDIO_TOO_LARGE'])
    expect(transportsOf(limits.audioBytes, 'path', facts('macos'))).toEqual(['path'])
    expect(transportsOf(limits.audioBytes + 1, 'path', facts('macos'))).toEqual(['AUDIO_TOO_LARGE'])
    expect(transportsOf(limits.audioBytes, 'multipart', facts('linux'))).toEqual(['multipart'])
    expect(transportsOf(limits.audioBytes + 1, 'multipart', facts('linux'))).toEqual(['AUDIO_TOO_LARGE'])
  })

  test('a requested form is sent where forms are accepted, and where the build is unknown', () => {
    expect(transportsOf(10, 'multipart', facts(null))).toEqual(['multipart'])
    for (const platform of ['macos', 'windows', 'windows-legacy'] as const)
      expect(transportsOf(10, 'multipart', facts(platform))).toEqual(['AUDIO_TOO_LARGE'])
  })

  test('the hint does not suggest a copy that would be too long as well', () => {
    const planning = (sizeBytes: number) => () => planRoutes([utterance(sizeBytes)], 'auto', facts('macos'))
    const withStage = expect.objectContaining({ hint: expect.stringContaining('--stage') })
    const without = expect.objectContaining({ hint: expect.not.stringContaining('--stage') })
    expect(planning(45 * mebibyte)).toThrow(withStage)
    expect(planning(60 * mebibyte)).toThrow(without)
  })

  test('has no audio limit on older Windows builds', () => {
    expect(transportsOf(limits.audioBytes + 1, 'path', facts('windows-legacy'))).toEqual(['path'])
  })

  test('a path that is asked for is staged only where the target may not read the file', () => {
    const by = (more: Partial<TransportFacts>) => transportsOf(10, 'path', facts('macos', more))
    expect(by({ canStage: true })).toEqual(['staged'])
    expect(by({ canStage: true, mayRead: () => true })).toEqual(['path'])
    expect(by({})).toEqual(['path'])
  })
})

test('reports all utterances that cannot be carried at once, each with the reason', () => {
  const sizes = { 'a long': 60 * mebibyte, short: 1, middle: 45 * mebibyte }
  const utterances = Object.entries(sizes).map(([id, sizeBytes]) => utterance(sizeBytes, id))
  expect(() => planRoutes(utterances, 'auto', facts('macos'))).toThrow(
    expect.objectContaining({
      message: 'no transport to this target carries 2 of 3 utterances',
      hint: expect.stringMatching(/--stage --exclude 'a long';.*leave them out: --exclude 'a long',middle/),
      problems: [
        expect.objectContaining({ where: 'a long' }),
        { where: 'middle', what: expect.stringContaining('base64: a request of') },
      ],
    }),
  )
})

describe('a transcription that is sent', () => {
  const request = (utteranceId: string) => aRequest('mine', utteranceId)
  const times = { sentAtMs: 1, firstByteAtMs: 2, endedAtMs: 3 }

  function senderAgainst(refusal: string | null): { readonly sender: Sender; readonly used: string[] } {
    const used: string[] = []
    const words = { message: '', hint: null, httpStatus: 200 }
    const refused = { kind: 'refused', code: refusal ?? '', ...words } as const
    const answer = { text: 'x', engine: 'e', model: 'm', language: null, latency_ms: null }
    const value = { ok: true, ...answer, timings: { load_ms: null, decode_ms: null } } as const
    const connection = {
      baseUrl: '',
      health: () => Promise.reject(new Error('not asked')),
      async transcribe({ audio }: TranscribeCall): Promise<TranscribeResult> {
        used.push(audio.transport)
        const isRefused = audio.transport === 'path' && refusal !== null
        const outcome = isRefused ? ({ ok: false, failure: refused } as const) : { ok: true as const, value }
        return { outcome, times, bodyBytes: 1 }
      },
    }
    const inBody = { transport: 'base64', path: '/a', sizeBytes: 1, mimeType: 'audio/wav' } as const
    const routes = [
      { transport: 'path', audio: { transport: 'path', path: '/a' } },
      { transport: 'base64', audio: inBody },
    ] as const
    const sender = transcriptionSender({
      connection,
      sendables: new Map([['mine', () => ({ routes, audioSeconds: 1, times: [] })]]),
      leases: new Map([['mine', { modeId: 'id' }]]),
    })
    return { sender, used }
  }

  const call = { timeoutMs: 1, signal: new AbortController().signal }

  test.each(['FILE_NOT_ALLOWED', 'FILE_ACCESS_DENIED'])(
    'goes another way after %s, once, and the utterance keeps to it',
    async (code) => {
      const { sender, used } = senderAgainst(code)
      const sent = { outcome: { ok: true }, transport: 'base64' }
      expect(await sender.send(request('a'), call)).toMatchObject({ ...sent, refusedTransport: 'path' })
      expect(await sender.send(request('a'), call)).toMatchObject(sent)
      expect(used).toEqual(['path', 'base64', 'base64'])
    },
  )

  test('does not use another transport after any other refusal', async () => {
    const { sender, used } = senderAgainst('FILE_NOT_FOUND')
    expect(await sender.send(request('b'), call)).toMatchObject({ outcome: { ok: false }, transport: 'path' })
    expect(used).toEqual(['path'])
  })
})
