import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorRate } from '#scoring/counts'
import { findProfile } from '#scoring/profiles/index'
import { scorePair } from '#scoring/score-utterance'

const root = join(import.meta.dirname, '../..')
const basic = findProfile('basic')

/** One word, in Arabic another word, is wrong in each of them; what the rates are of is counted by hand. */
const pairs: readonly [
  script: string,
  reference: string,
  hypothesis: string,
  words: string,
  characters: string,
][] = [
  ['Cyrillic', 'Сегодня хорошая погода, правда?', 'сегодня хорошая погода право', '1/4', '2/29'],
  ['Greek', 'Ο καιρός είναι καλός σήμερα.', 'ο καιρός είναι κακός σήμερα', '1/5', '1/27'],
  ['Arabic', 'الطقس جميل اليوم، أليس كذلك؟', 'الطقس جميل أمس أليس كذلك', '1/5', '5/26'],
  ['Hindi', 'आज मौसम बहुत अच्छा है।', 'आज मौसम बहुत अच्छी है', '1/5', '1/15'],
  ['Thai', 'วันนี้อากาศดีมาก', 'วันนี้อากาศดีมา', '1/5', '1/12'],
  ['Chinese', '今天天气很好。', '今天天汽很好', '2/3', '1/6'],
  ['Japanese', '今日はいい天気ですね。', '今日はいい元気ですね', '1/6', '1/10'],
  ['Korean', '오늘 날씨가 참 좋네요.', '오늘 날씨가 참 좋아요', '1/4', '1/12'],
]

test.each(pairs)('%s: one wrong word is one wrong word, and its characters are counted', async (...pair) => {
  const [script, reference, hypothesis, wordShare, characterShare] = pair
  const { words, characters } = scorePair({ reference, hypothesis }, basic)
  const share = (text: string): number => Number(text.split('/')[0]) / Number(text.split('/')[1])
  expect(errorRate(words)).toBeCloseTo(share(wordShare), 12)
  expect(errorRate(characters)).toBeCloseTo(share(characterShare), 12)
  const page = await readFile(join(root, 'docs/scoring.md'), 'utf8')
  expect(page).toContain(`| ${script} | ${reference} | ${hypothesis} | ${wordShare} | ${characterShare} |`)
})
