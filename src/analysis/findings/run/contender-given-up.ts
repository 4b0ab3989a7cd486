import type { RunFinding } from '../run-facts.ts'

export const contenderGivenUp = {
  code: 'CONTENDER_GIVEN_UP',
  severity: 'warning',
  meaning:
    'A contender was sent nothing more, because nothing that it was sent could succeed: its key is refused, its model is ' +
    'gone, it answers nothing. In the warm-up the first such failure is enough. The other contenders were measured, and ' +
    'their figures are valid; the run ends with exit code 5, and transcribench run --resume sends the rest.',
  detect: ({ material: { record } }) =>
    (record.givenUp ?? []).map(({ id, reason, hint }) => ({
      message: `${id} was given up ${reason.replace(/\.$/, '')}`,
      advice: hint,
    })),
} satisfies RunFinding
