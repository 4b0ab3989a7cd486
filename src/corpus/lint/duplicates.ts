import { readFile } from 'node:fs/promises'
import { monoStream } from '#audio/sound-stream'
import { convolve } from '../convolve.ts'
import { undecodable } from '../errors.ts'
import type { VerifiedUtterance } from '../utterance.ts'
import { type HeardUtterance, soundAlike } from './hear.ts'
import type { LintCheck, UnnamedFindings } from './lint-check.ts'

/** Tolerance of the lengths in seconds, because encoders pad both ends. */
const alikeSeconds = 0.25

export const duplicates: LintCheck = {
  name: 'duplicate-audio',
  meaning:
    'Two recordings have the same bytes, or the same sound in two formats: lengths within 0.25 s, loudness over time with a correlation of at least 0.93, and waves with one of at least 0.7. Versions of one recording, as corpus derive makes them, are none.',
  find: async ({ heard }) => {
    const earlier = new Map<string, HeardUtterance>()
    const distinct: HeardUtterance[] = []
    const found = heard.flatMap((each) => {
      const first = earlier.get(each.utterance.sha256)
      if (first === undefined) {
        earlier.set(each.utterance.sha256, each)
        distinct.push(each)
        return []
      }
      return [describe(each, first, 'the same bytes as')]
    })
    const pairs = await pairsOfSound(distinct, distinct)
    return [...found, ...pairs.map(([each, first]) => describe(each, first, 'the same sound as'))]
  },
}

export const overlap: LintCheck = {
  name: 'overlap',
  meaning:
    'A recording is also in the corpus named by --against: the same bytes, the same sound, or the same text of five or more words.',
  find: async ({ heard, other }) => {
    if (other === null) return []
    const hashes = new Map(other.heard.map((each) => [each.utterance.sha256, each]))
    const texts = new Map(other.heard.filter(({ words }) => words >= 5).map((each) => [plain(each), each]))
    const sounds = new Map(await pairsOfSound(heard, other.heard))
    return heard.flatMap((each) => {
      const same = hashes.get(each.utterance.sha256)
      const match = same ?? sounds.get(each) ?? texts.get(plain(each))
      if (match === undefined) return []
      const kind = same !== undefined ? 'bytes' : sounds.has(each) ? 'sound' : 'text'
      const what = `the same ${kind} as ${match.utterance.id} of ${other.name}`
      return [
        {
          utteranceId: each.utterance.id,
          what,
          suggestion: 'remove it from one of the two where one of them trains or tunes',
        },
      ]
    })
  },
}

function describe(each: HeardUtterance, first: HeardUtterance, how: string): UnnamedFindings[number] {
  const isContradiction = plain(each) !== plain(first)
  return {
    utteranceId: each.utterance.id,
    what: `${how} ${first.utterance.id}${isContradiction ? ', with another text' : ''}`,
    suggestion: isContradiction
      ? 'listen, correct one text, and remove the other utterance'
      : 'remove one of the two',
  }
}

function plain({ utterance }: HeardUtterance): string {
  return utterance.text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Pairs each of `utterances` with the first of `others` that sounds alike; within a single list, each pair occurs once. */
async function pairsOfSound(
  utterances: readonly HeardUtterance[],
  others: readonly HeardUtterance[],
): Promise<readonly (readonly [HeardUtterance, HeardUtterance])[]> {
  const isOneList = utterances === others
  const sorted = others.toSorted(
    (left, right) => left.utterance.durationSeconds - right.utterance.durationSeconds,
  )
  const place = new Map(utterances.map((each, index) => [each, index]))
  const pairs: (readonly [HeardUtterance, HeardUtterance])[] = []
  for (const each of utterances) {
    const ownSeconds = each.utterance.durationSeconds
    for (let at = firstFrom(sorted, ownSeconds - alikeSeconds); at < sorted.length; at += 1) {
      const candidate = sorted[at] as HeardUtterance
      if (candidate.utterance.durationSeconds > ownSeconds + alikeSeconds) break
      const isBefore = !isOneList || (place.get(candidate) ?? 0) < (place.get(each) ?? 0)
      if (!isBefore || areVersions(each, candidate) || !soundAlike(each.contour, candidate.contour)) continue
      // The waves are compared too, because single words have similar loudness contours.
      if (!(await haveSameWave(each.utterance, candidate.utterance, alikeSeconds))) continue
      pairs.push([each, candidate])
      break
    }
  }
  return pairs
}

function areVersions({ utterance: left }: HeardUtterance, { utterance: right }: HeardUtterance): boolean {
  return left.derived !== null && left.derived.parents.join('\n') === right.derived?.parents.join('\n')
}

function firstFrom(sorted: readonly HeardUtterance[], seconds: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as HeardUtterance).utterance.durationSeconds < seconds) low = middle + 1
    else high = middle
  }
  return low
}

/** Sample rate for the comparison, which suffices for speech, and which every format supports. */
const comparedHz = 8000
/** Speech codecs keep more of the wave. Among 329 prompts of one speaker, only pairs of equal text reach it. */
const sameCorrelation = 0.7
/** Only the beginning of longer recordings is compared, to bound memory. */
const maxComparedSamples = 300 * comparedHz

/**
 * Whether two recordings are the same sound, by the maximum correlation of their waves over small shifts. The
 * absolute value counts, because a telephone may invert the polarity.
 */
async function haveSameWave(
  left: VerifiedUtterance,
  right: VerifiedUtterance,
  maxShiftSeconds: number,
): Promise<boolean> {
  const [leftWave, rightWave] = await Promise.all([readWave(left), readWave(right)])
  const scale = Math.sqrt(energy(leftWave) * energy(rightWave))
  if (scale === 0) return false
  // Convolution with the reversed wave is correlation; zero shift is at index `rightWave.length - 1`.
  const products = convolve(leftWave, rightWave.toReversed())
  const center = rightWave.length - 1
  const reach = Math.round(maxShiftSeconds * comparedHz)
  const near = products.subarray(Math.max(0, center - reach), center + reach + 1)
  return near.some((product) => Math.abs(product) >= sameCorrelation * scale)
}

async function readWave({ audioPath }: VerifiedUtterance): Promise<Float32Array> {
  const samples = new Float32Array(maxComparedSamples)
  let count = 0
  for await (const block of monoStream(await readFile(audioPath), comparedHz)) {
    if (!block.ok) throw undecodable(audioPath, block.failure.reason)
    const part = block.value.subarray(0, maxComparedSamples - count)
    samples.set(part, count)
    count += part.length
    if (count === maxComparedSamples) break
  }
  return samples.subarray(0, count)
}

function energy(samples: Float32Array): number {
  return samples.reduce((sum, sample) => sum + sample * sample, 0)
}
