import { expect, test } from 'vitest'
import { replayCommand, resumeCommand, scoreCommand } from '../../src/run/commands.ts'

test('the name of a run that was given to its folder is quoted for a shell in the commands of hints', () => {
  expect(resumeCommand('results/my run')).toBe("transcribench run --resume 'my run'")
  expect(scoreCommand('results/my run')).toBe("transcribench score 'my run'")
  expect(replayCommand('results/2026-a')).toBe('transcribench replay 2026-a')
})
