import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import type { ErrorCounts } from '#scoring'
import { temporaryFolder } from '../journal/temporary-folder.ts'
import { runCli } from './run-cli.ts'

const lineCount = 10_000

/** Two files of 10,000 lines, of which the second has words changed, left out and added. */
function manyLines(): { reference: string; hypothesis: string } {
  const random = seededRandom(11)
  const word = (): string => `word${random.below(500)}`
  const references: string[] = []
  const hypotheses: string[] = []
  for (let line = 0; line < lineCount; line += 1) {
    const words = Array.from({ length: random.below(20) }, word)
    references.push(words.join(' '))
    const heard = words.flatMap((said) => {
      const fate = random.below(20)
      return fate === 0 ? [] : fate === 1 ? [word()] : fate === 2 ? [said, word()] : [said]
    })
    hypotheses.push(heard.join(' '))
  }
  return { reference: `${references.join('\n')}\n`, hypothesis: `${hypotheses.join('\n')}\n` }
}

const total = (rows: readonly { words: ErrorCounts }[], of: keyof ErrorCounts): number =>
  rows.reduce((sum, { words }) => sum + words[of], 0)

describe('asrbench wer', () => {
  test('prints counts that are the sums of its rows, and swapping the files swaps insertions with deletions', async () => {
    await using home = await temporaryFolder()
    const { reference, hypothesis } = manyLines()
    await writeFile(join(home.path, 'ref.txt'), reference)
    await writeFile(join(home.path, 'hyp.txt'), hypothesis)
    const [text, json, swapped] = await Promise.all([
      runCli(['wer', 'ref.txt', 'hyp.txt'], { cwd: home.path }),
      runCli(['wer', 'ref.txt', 'hyp.txt', '--json'], { cwd: home.path }),
      runCli(['wer', 'hyp.txt', 'ref.txt', '--json'], { cwd: home.path }),
    ])
    expect(text, text.stderr).toMatchObject({ code: 0 })
    const { rows, words } = JSON.parse(json.stdout)
    expect(rows).toHaveLength(lineCount)
    for (const count of ['hits', 'substitutions', 'deletions', 'insertions'] as const) {
      expect(words.counts[count]).toBe(total(rows, count))
      expect(text.stdout.replaceAll(',', '')).toContain(String(words.counts[count]))
    }
    expect(words.counts.insertions).toBeGreaterThan(1000)
    const mirrored = JSON.parse(swapped.stdout).words.counts
    expect(mirrored).toEqual({
      ...words.counts,
      insertions: words.counts.deletions,
      deletions: words.counts.insertions,
    })
  })

  test('pairs JSON Lines by id, whatever their order, and names ids without a partner', async () => {
    await using home = await temporaryFolder()
    const line = (id: string, text: string): string => JSON.stringify({ id, text })
    await writeFile(join(home.path, 'ref.jsonl'), [line('a', 'one two'), line('b', 'three')].join('\n'))
    await writeFile(join(home.path, 'hyp.jsonl'), [line('b', 'three'), line('a', 'one too')].join('\n'))
    const paired = await runCli(['wer', 'ref.jsonl', 'hyp.jsonl', '--json'], { cwd: home.path })
    expect(JSON.parse(paired.stdout).words.rate).toBeCloseTo(1 / 3)

    await writeFile(join(home.path, 'short.jsonl'), line('a', 'one two'))
    const unpaired = await runCli(['wer', 'ref.jsonl', 'short.jsonl'], { cwd: home.path })
    expect(unpaired).toMatchObject({ code: 2, stdout: '' })
    expect(unpaired.stderr).toMatch(/\bb\b/)
  })
})
