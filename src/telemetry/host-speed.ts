import type { HostSpeed } from '#journal/run-record'
import type { Clock } from '#load/clock'

/**
 * Measures the machine for some time, in which this process does nothing else: before anything is measured, never
 * while it is. Integers, 32-bit floats and memory, because engines lean on them differently.
 *
 * @param forSeconds in all, plus some ten milliseconds of preparation. Five are most precise; a fifth of a second is
 *   enough to distinguish kinds of machines
 */
export function measureHostSpeed(clock: Pick<Clock, 'nowMs'>, forSeconds: number): HostSpeed {
  const { copy, release } = copier()
  // The first of each is not counted: the compiler has not seen it yet, and gets to it while the others are at work.
  for (const work of [hashRounds, matrixProduct, copy]) work()
  const turnMs = (1000 * forSeconds) / 3 / turns
  let [integers, floats, memory] = [0, 0, 0]
  for (let turn = 0; turn < turns; turn += 1) {
    integers = Math.max(integers, perSecond(clock, turnMs, hashRounds))
    floats = Math.max(floats, perSecond(clock, turnMs, matrixProduct))
    memory = Math.max(memory, perSecond(clock, turnMs, copy))
  }
  release()
  return {
    integerMillionsPerSecond: integers / 1e6,
    floatBillionsPerSecond: floats / 1e9,
    memoryBillionsPerSecond: memory / 1e9,
  }
}

/** In turn, so that whatever else runs for a moment does not hit one kind of work alone. */
const turns = 3

/**
 * The best of the pieces of work that fit into the time, at least one: other programs can make a piece slower and none can
 * make it faster.
 */
function perSecond(clock: Pick<Clock, 'nowMs'>, partMs: number, work: () => number): number {
  const startedAtMs = clock.nowMs()
  let best = 0
  let beganAtMs = startedAtMs
  do {
    const done = work()
    const endedAtMs = clock.nowMs()
    best = Math.max(best, (1000 * done) / (endedAtMs - beganAtMs))
    beganAtMs = endedAtMs
  } while (beganAtMs - startedAtMs < partMs)
  return best
}

/** Rounds of FNV-1a's multiplication, with shifts; each depends on the one before. */
function hashRounds(): number {
  const rounds = 1_000_000
  let hash = 0x811c9dc5
  for (let round = 0; round < rounds; round += 1) {
    hash = Math.imul(hash ^ (round & 0xff), 0x01000193)
    hash ^= hash >>> 13
  }
  // Used, so that the loop cannot be left out.
  return hash === 0 ? rounds - 1 : rounds
}

/** Larger than the caches of most machines. */
function copier(): { copy(): number; release(): void } {
  const sizeBytes = 32 * 2 ** 20
  const [source, target] = [new Uint8Array(sizeBytes).fill(1), new Uint8Array(sizeBytes)]
  return {
    copy() {
      target.set(source)
      return source.length
    },
    // The collector of garbage would leave them in memory for the whole of a run.
    release() {
      source.buffer.transfer(0)
      target.buffer.transfer(0)
    },
  }
}

const size = 128

function matrix(cycle: number): readonly Float32Array[] {
  return Array.from({ length: size }, () =>
    Float32Array.from({ length: size }, (_, index) => (index % cycle) / cycle),
  )
}

/** Arrays of rows; the third is what the first two are multiplied into, again and again. */
const [a, b, product] = [matrix(7), matrix(5), matrix(1)]

/**
 * A product of two 32-bit matrices.
 *
 * @returns floating-point operations that were done
 */
function matrixProduct(): number {
  for (let row = 0; row < size; row += 1) {
    const [sums, factors] = [product[row] as Float32Array, a[row] as Float32Array]
    for (let inner = 0; inner < size; inner += 1) {
      addTimes(sums, b[inner] as Float32Array, factors[inner] as number)
    }
  }
  return 2 * size ** 3
}

/** A separate, short function: compiled after a few calls, where a long loop is now and then left half compiled. */
function addTimes(sums: Float32Array, row: Float32Array, factor: number): void {
  for (let column = 0; column < row.length; column += 1) {
    sums[column] = (sums[column] as number) + factor * (row[column] as number)
  }
}
