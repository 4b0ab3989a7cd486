import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createJsonReader } from '../../src/service/http/json-reader.ts'

interface Read {
  readonly json: unknown
  readonly audio: Uint8Array | null | undefined
}

/** Reads a body in pieces of that many bytes. */
function read(body: string | Buffer, pieceBytes: number): Read {
  const bytes = Buffer.from(body)
  const reader = createJsonReader(0)
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    reader.push(bytes.subarray(start, start + pieceBytes))
  }
  const text = Buffer.concat(reader.json).toString()
  let json: unknown = 'not JSON'
  try {
    json = JSON.parse(text)
  } catch {
    // What it is compared with is the text above.
  }
  return { json, audio: reader.finish() }
}

const hello = Buffer.from('hello, audio')
const encoded = hello.toString('base64')

describe('a body with audio', () => {
  test.each([
    ['alone', `{"audio_base64":"${encoded}"}`],
    ['after others', `{"engine":"local","x":{"audio_base64":"no"},"audio_base64" : "${encoded}"}`],
    ['before others', `{"audio_base64":"${encoded}","a":["audio_base64",":","{"],"b":"\\\\\\""}`],
    ['with an escaped key', `{"audio\\u005fbase64":"${encoded}"}`],
    ['with escaped characters', `{"audio_base64":"${encoded.replaceAll('G', '\\u0047')}\\n"}`],
    ['with blanks', `{"audio_base64":" ${encoded.slice(0, 5)} ${encoded.slice(5)} "}`],
  ])('%s gives its bytes, however it is cut', (_what, body) => {
    for (const pieceBytes of [1, 2, 3, 7, 1_000]) {
      const { json, audio } = read(body, pieceBytes)
      expect(Buffer.from(audio ?? []).toString()).toBe(hello.toString())
      expect(json).toMatchObject({ audio_base64: expect.any(String) })
    }
  })

  test('of escapes alone gives its bytes, whole or in chunks, and none where an escape is wrong', () => {
    const bytes = Buffer.from(Array.from({ length: 9_000 }, (_, index) => (index * 7) % 256))
    const escaped = bytes
      .toString('base64')
      .replaceAll(/./g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
    for (const pieceBytes of [5, 1_000, 65_536]) {
      expect(Buffer.from(read(`{"audio_base64":"${escaped}"}`, pieceBytes).audio ?? [])).toEqual(bytes)
      for (const wrong of ['\\u00g1', '\\u001g', '\\u0080']) {
        expect(read(`{"audio_base64":"${escaped}${wrong}"}`, pieceBytes).audio).toBeNull()
      }
    }
  })

  test('keeps no memory of the chunks that were all audio', () => {
    const reader = createJsonReader(0)
    const chunks = [`{"audio_base64":"${encoded}`, ...Array<string>(50).fill(encoded), `${encoded}","a":1}`]
    for (const chunk of chunks) reader.push(Buffer.from(new TextEncoder().encode(chunk).buffer))
    expect(new Set(reader.json.map(({ buffer }) => buffer)).size).toBeLessThanOrEqual(3)
    expect(reader.finish()).toHaveLength(hello.length * chunks.length)
  })

  test('is the first text behind the key: one that follows without a comma is no JSON, and takes no memory', () => {
    for (const pieceBytes of [1, 5, 100]) {
      const { json, audio } = read(`{"audio_base64":"${encoded}" "AAAA" "AAAA"}`, pieceBytes)
      expect(json).toBe('not JSON')
      expect(Buffer.from(audio ?? []).toString()).toBe(hello.toString())
    }
  })

  test.each([
    ['a body without', '{"engine":"local"}'],
    ['a nested one', '{"a":{"audio_base64":"AAAA"}}'],
    ['a number', '{"audio_base64":1}'],
    ['a value that only looks like the key', '{"a":"audio_base64","b":"AAAA"}'],
    ['an array', '["audio_base64","AAAA"]'],
  ])('is not found in %s, which stays as it is', (_what, body) => {
    expect(read(body, 3)).toEqual({ json: JSON.parse(body), audio: undefined })
  })

  test.each(['A', 'AAAAA', 'AA=A', 'AAA===', '=', 'AA!A', 'Ää==', 'AAAA=A', 'AA=\\u0041'])(
    'of %s is no base64',
    (text) => {
      for (const pieceBytes of [1, 4, 100]) {
        expect(read(`{"audio_base64":"${text}"}`, pieceBytes).audio).toBeNull()
      }
    },
  )

  test.each([
    ['a bare line break', `{"audio_base64":"AA\nAA"}`],
    ['an escape that is none', '{"audio_base64":"AA\\xAA"}'],
    ['no end', '{"audio_base64":"AAAA'],
    ['no end of an escape', '{"audio_base64":"AAAA\\'],
  ])('with %s is no JSON', (_what, body) => {
    for (const pieceBytes of [1, 5, 100]) expect(read(body, pieceBytes).json).toBe('not JSON')
  })
})

describe('a key that an object has twice', () => {
  const problemOf = (body: string): string | null => {
    const reader = createJsonReader(0)
    for (const byte of Buffer.from(body)) reader.push(Buffer.of(byte))
    return reader.problem?.what ?? null
  }

  test.each([
    ['the audio', '{"audio_base64":"AAAA","audio_base64":"AAAA"}'],
    ['another field', '{"model":"a","x":{"model":"b"},"model":"c"}'],
    ['a key that is written in another way', '{"model":"a","\\u006dodel":"b"}'],
  ])('is refused at the second one: %s', (_what, body) => {
    expect(problemOf(body)).toMatch(/^The body has the key ".+" twice\.$/)
    expect(problemOf(body.slice(0, body.lastIndexOf(':')))).toBe(problemOf(body))
  })

  test.each([
    ['an inner object', '{"a":{"x":1},"b":{"x":1}}'],
    ['an array', '["a","a","a"]'],
    ['values', '{"a":"b","b":"a","c":["c","c"]}'],
    ['long keys, which are not compared', `{"${'k'.repeat(200)}":1,"${'k'.repeat(200)}":2}`],
  ])('is not seen in %s', (_what, body) => {
    expect(problemOf(body)).toBeNull()
  })

  test('is not the only reason: more than 1,000 keys are refused too', () => {
    const body = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0])))
    expect(problemOf(body(1_000))).toBeNull()
    expect(problemOf(body(1_001))).toBe('The body has more than 1000 keys.')
  })
})

describe('any body', () => {
  test('gives what a parser of JSON and a decoder of base64 would give together', () => {
    const bytes = fc.uint8Array({ maxLength: 60 })
    const spelled = fc.tuple(bytes, fc.constantFrom('base64' as const, 'base64url' as const))
    const others = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue())
    fc.assert(
      fc.property(
        spelled,
        others,
        others,
        fc.integer({ min: 1, max: 50 }),
        ([audio, spelling], a, b, piece) => {
          const text = Buffer.from(audio).toString(spelling)
          const body = JSON.stringify({ ...a, audio_base64: text, ...b })
          const expected = JSON.parse(body)
          const { json, audio: found } = read(body, piece)
          if (expected.audio_base64 === text) {
            expect(Buffer.from(found ?? [])).toEqual(Buffer.from(audio))
            expect(json).toEqual({ ...expected, audio_base64: '' })
          }
        },
      ),
    )
  })

  test('is JSON afterwards where it was, and not where it was not', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'{}[]",:\\ua0"audio_base64') }),
        fc.nat(5),
        (body, piece) => {
          let isJson = true
          try {
            JSON.parse(body)
          } catch {
            isJson = false
          }
          expect(read(body, piece + 1).json !== 'not JSON').toBe(isJson)
        },
      ),
    )
  })
})
