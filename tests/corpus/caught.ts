import { BenchError } from '#prelude'

/** The error that a promise ends in. Anything but a BenchError fails the test. */
export async function caught(work: Promise<unknown>): Promise<BenchError> {
  try {
    await work
  } catch (error) {
    if (error instanceof BenchError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** Problems as lines: where, two blanks, what, and the hint in parentheses. */
export function lines(error: Pick<BenchError, 'problems'>): readonly string[] {
  return error.problems.map(
    ({ where, what, hint }) => `${where}  ${what}${hint === undefined ? '' : ` (${hint})`}`,
  )
}
