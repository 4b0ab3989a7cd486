/** Keeps one processor busy with so many units, each about a millisecond of a processor of today. */
export function work(units: number): void {
  let state = 1
  for (let step = units * 600_000; step > 0; step -= 1) state = Math.imul(state, 1_664_525) + 1_013_904_223
  // A result that is not read would not be computed.
  if (state === 0.5) throw new Error('an integer')
}
