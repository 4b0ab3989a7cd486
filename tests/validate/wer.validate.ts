import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, test } from 'vitest'
import { type Random, seededRandom } from '#prelude'
import { temporaryFolder } from '../temporary-folder.ts'
import { spend } from './program.ts'

const pairCount = 1_000_000

/** Words as English has them: the frequent ones real, the others of two to five syllables, by Zipf's law. */
function drawer(random: Random): () => string {
  const frequent =
    "the of and to a in that it's was he for on are as with they I at be this have from or one had by but not what all were we when your can said there twenty use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two more write go see number no way could people my than first water been called who oil now find long down day did get come made may part don't colour 1,000 Mr. John's won't hundred five"
  const vocabulary = frequent.split(' ')
  const syllables = 'ba ce di fo ga he ka li mo na pe ro su ta ve'.split(' ')
  const syllable = (): string => syllables[random.below(syllables.length)] as string
  while (vocabulary.length < 20_000) {
    vocabulary.push(Array.from({ length: 2 + random.below(4) }, syllable).join(''))
  }
  // The distance between the ranks n and n + 1 is 1 / n: the n-th word is drawn in proportion to that.
  const top = Math.log(vocabulary.length)
  return () => vocabulary[Math.floor(Math.exp(random.unit() * top)) - 1] as string
}

interface Pair {
  readonly reference: string
  readonly hypothesis: string
}

/** Utterances of 12 to 28 words, of which one in ten goes wrong. */
function* somePairs(): Generator<Pair> {
  const random = seededRandom(20_240_607)
  const draw = drawer(random)
  for (let pair = 0; pair < pairCount; pair += 1) {
    const words = Array.from({ length: 12 + random.below(17) }, draw)
    const heard = words.flatMap((word) => {
      const dice = random.below(100)
      if (dice < 6) return [draw()]
      if (dice < 8) return []
      return dice < 10 ? [word, draw()] : [word]
    })
    const text = words.join(' ')
    yield { reference: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`, hypothesis: heard.join(' ') }
  }
}

function* inBlocks(line: (pair: Pair, index: number) => string): Generator<string> {
  let block = ''
  let index = 0
  for (const pair of somePairs()) {
    block += `${line(pair, index)}\n`
    index += 1
    if (block.length < 262_144) continue
    yield block
    block = ''
  }
  yield block
}

async function write(path: string, line: (pair: Pair, index: number) => string): Promise<void> {
  await pipeline(Readable.from(inBlocks(line)), createWriteStream(path))
}

describe('a million utterances through transcribench wer with whisper-english', () => {
  const row = ({ reference, hypothesis }: Pair, index: number): string =>
    JSON.stringify({ id: `utt-${String(index).padStart(7, '0')}`, reference, hypothesis })
  const cases: readonly [string, Readonly<Record<string, (pair: Pair, index: number) => string>>][] = [
    ['in one file of pairs', { 'pairs.jsonl': row }],
    [
      'in two files of text',
      { 'ref.txt': ({ reference }) => reference, 'hyp.txt': ({ hypothesis }) => hypothesis },
    ],
  ]
  test.each(cases)(
    '%s take less than 60 s and 500 MB',
    async (_, files) => {
      await using home = await temporaryFolder()
      for (const [name, line] of Object.entries(files)) await write(join(home.path, name), line)
      const args = ['wer', ...Object.keys(files), '--profile', 'whisper-english', '--quiet']
      const { code, stdout, stderr, seconds, processorSeconds, peakMegabytes } = await spend(args, home.path)
      expect({ code }, stderr).toEqual({ code: 0 })
      expect(stdout).toContain('1,000,000 pairs')
      process.stdout.write(
        `${seconds.toFixed(1)} s, ${processorSeconds.toFixed(1)} s of CPU, ${peakMegabytes.toFixed(0)} MB at most\n`,
      )
      expect(peakMegabytes).toBeLessThan(500)
      expect(seconds).toBeLessThan(60)
    },
    600_000,
  )
})
