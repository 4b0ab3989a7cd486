import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { seededRandom } from '#prelude'
import { temporaryFolder } from '../../temporary-folder.ts'
import { importFrom, rowsIn } from './import-from.ts'

const rateHz = 8_000

/** Noise from and to these seconds, silence elsewhere. */
function noise(totalSeconds: number, sounds: readonly (readonly [number, number])[]): Uint8Array {
  const random = seededRandom(3)
  const samples = new Float32Array(totalSeconds * rateHz)
  for (const [from, to] of sounds) {
    for (let at = from * rateHz; at < to * rateHz; at += 1) samples[at] = random.unit() - 0.5
  }
  return encodeWav(samples, rateHz)
}

async function cutBy(cues: readonly (readonly [number, number, string])[], audio: Uint8Array) {
  await using folder = await temporaryFolder()
  const segments = cues.map(([start, end, text]) => ({ start, end, text }))
  await folder.write('in/talk.json', JSON.stringify({ text: '', segments }))
  await folder.write('in/talk.wav', audio)
  const output = join(folder.path, 'out')
  await importFrom(join(folder.path, 'in'), output)
  const rows = await rowsIn(output)
  return rows.map(({ text, durationSeconds }): [string, number] => [text, durationSeconds])
}

test('moves an edge that lies in sound outwards to the nearest silence', async () => {
  const audio = noise(12, [
    [1, 4],
    [6, 9],
  ])
  const cues = [
    [1.5, 3.5, 'one'],
    [6.2, 8.9, 'two'],
  ] as const
  expect(await cutBy(cues, audio)).toEqual([
    ['one', 3],
    ['two', 3],
  ])
})

test('joins cues that no silence separates, and cues under a second', async () => {
  const audio = noise(20, [
    [1, 7],
    [9, 9.4],
    [10, 13],
  ])
  const cues = [
    [1, 4, 'no'],
    [4, 7, 'silence'],
    [9, 9.4, 'short'],
    [10, 13, 'long'],
  ] as const
  expect(await cutBy(cues, audio)).toEqual([
    ['no silence', 6],
    ['short long', 4],
  ])
})

test('makes no utterance over 30 s from cues that are shorter, and loses no word', async () => {
  const audio = noise(100, [[0, 100]])
  const cues = Array.from({ length: 20 }, (_, index) => [index * 5, index * 5 + 5, `w${index}`] as const)
  const rows = await cutBy(cues, audio)
  expect(rows.map(([text]) => text).join(' ')).toBe(cues.map(([, , text]) => text).join(' '))
  expect(rows.every(([, seconds]) => seconds >= 1 && seconds <= 30.1)).toBe(true)
  expect(rows.reduce((sum, [, seconds]) => sum + seconds, 0)).toBeGreaterThan(99.9)
})

test('moves no edge by more than a second, and joins no cues across a longer pause', async () => {
  const audio = noise(60, [[0, 60]])
  const cues = [
    [20, 22, 'one'],
    [22.5, 23, 'near'],
    [40, 40.5, 'far'],
  ] as const
  const cut = await cutBy(cues, audio)
  expect(cut.map(([text]) => text)).toEqual(['one near', 'far'])
  expect(cut.map(([, seconds]) => seconds)).toEqual([
    expect.toSatisfy((seconds: number) => seconds >= 3 && seconds <= 5),
    expect.toSatisfy((seconds: number) => seconds >= 0.5 && seconds <= 2.5),
  ])
})
