import { expect, test } from 'vitest'
import { isCalled } from '#results/summaries'

test.each(['english@3', 'leaderboard@2026-07', 'basic', 'english@3+own'])(
  'a score by %s is called by file, profile or fingerprint',
  (profileId) => {
    const name = profileId.replace(/@[0-9-]+/, '')
    const score = { file: `evaluation.${name}.1a2b3c4d.json`, profileId, score: `${profileId}.1a2b3c4d` }
    for (const given of [score.file, profileId, name, score.score, '1a2b3c4d', '1a2b'])
      expect(isCalled(score, given), given).toBe(true)
    for (const other of ['', '1a', '07', `${name}-07`, 'verbatim'])
      expect(isCalled(score, other), other).toBe(false)
  },
)
