import { describe, expect, test } from 'vitest'
import type { Terminal } from '#reports/layout/terminal'
import { type ProgressText, renderProgress, renderProgressLine } from '../../src/cli/run-progress.ts'

const terminal = (width: number): Terminal => ({ width, color: false, unicode: true })

const halfway: ProgressText = {
  contenderId: 'whisper-base.en',
  doneCount: 29,
  plannedCount: 48,
  failedCount: 0,
  pausedCount: 0,
  inFlight: 1,
  lateCount: 0,
  soFar: () => [
    { contenderId: 'tiny.en', speed: 19.4, errorRate: 0.076, level: 'words' as const },
    { contenderId: 'base.en', speed: 11.1, errorRate: 0.053, level: 'words' as const },
  ],
  elapsedSeconds: 16.2,
  remainingSeconds: 10.4,
}

describe('how a run goes on', () => {
  test('are three lines on a terminal: who and how long, how far, what is known so far', () => {
    expect(renderProgress(halfway, terminal(80))).toBe(
      [
        '  measuring   whisper-base.en                                 about 11 s left',
        `  ${'█'.repeat(24)}${'░'.repeat(16)}  29 of 48   in flight 1   failed 0`,
        '  so far      tiny.en 19.4×, WER 7.6%   base.en 11.1×, WER 5.3%',
      ].join('\n'),
    )
  })

  test.each([80, 60, 50])(
    'is not wider than a terminal of %i columns, late requests and large counts included',
    (width) => {
      const much = { ...halfway, doneCount: 1200, plannedCount: 1600, lateCount: 12 }
      for (const progress of [halfway, width < 60 ? halfway : much]) {
        for (const line of renderProgress(progress, terminal(width)).split('\n')) {
          expect(line.length).toBeLessThanOrEqual(width)
        }
      }
    },
  )

  test('is shown in ASCII where there is nothing else, and without escape sequences of a name', () => {
    const text = renderProgress(
      { ...halfway, contenderId: '\u001b[31mred' },
      { width: 80, color: false, unicode: false },
    )
    expect(text).toMatch(/^[ -~\n]*$/)
    expect(text).toContain('19.4x')
  })

  test('is a line in a pipe, with the time that is left, and at the end the time that it took', () => {
    expect(renderProgressLine('measuring', '07:31:16', halfway, terminal(100))).toBe(
      '07:31:16 measuring      29/48  60%  failed 0  11 s left  tiny.en 19.4×, WER 7.6%  base.en 11.1×, WER 5.3%',
    )
    const unscored = () => [{ contenderId: 'tiny.en', speed: null, errorRate: null, level: 'words' as const }]
    expect(
      renderProgressLine(
        'done',
        '07:31:32',
        { ...halfway, doneCount: 48, soFar: unscored, lateCount: 3 },
        terminal(100),
      ),
    ).toBe('07:31:32 done           48/48 100%  failed 0   sent late 3  16 s')
  })
})
