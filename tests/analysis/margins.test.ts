import { expect, test } from 'vitest'
import { compareSides } from '#analysis/comparison/compare-runs'
import { parseMargins } from '#analysis/figures/speed/margins'
import { measuredRun, spokenUtterances } from './measured-run.ts'

const run = (margins: readonly string[]) =>
  measuredRun({
    utterances: spokenUtterances(8, 'a b c d'),
    fate: () => 'a b c d',
    record: { config: { margins } },
  })

test('margins are read as people write them, the later ones overriding', () => {
  expect(parseMargins(['0.5pp', 'latency=3 %', 'cer=1pp'])).toEqual({ wer: 0.005, cer: 0.01, speed: 0.03 })
  expect(parseMargins([])).toEqual({})
  for (const text of ['5%', 'latency=1pp', 'wer=1%', 'speed=2pp', '']) expect(parseMargins([text])).toBeNull()
})

test('a comparison takes the margins of the later run’s config, and its flags before them', () => {
  const marginsOf = (given?: { readonly speed?: number }): readonly unknown[] => {
    const compared = compareSides([run(['latency=9%'])], [run(['latency=3%', 'wer=1pp'])], { margins: given })
    if (!compared.ok) throw compared.failure
    const [contender] = compared.value.contenders
    const latency = contender?.speed.find(({ metric }) => metric === 'latency')
    const [wer, cer] = contender?.rates ?? []
    return [latency?.margin, wer?.margin, cer?.margin]
  }
  expect(marginsOf()).toEqual([0.03, 0.01, 0.002])
  expect(marginsOf({ speed: 0.07 })).toEqual([0.07, 0.01, 0.002])
})
