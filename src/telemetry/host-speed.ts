import type { HostSpeed } from '#journal/run-record'
import type { Clock } from '#load/clock'

/**
 * Measures the machine's speed while this process does nothing else, so never during a measurement. It measures
 * integers, 32-bit floats and memory, because engines depend on them differently.
 *
 * @param forSeconds total duration, without some 10 ms of preparation. Five seconds are most precise; 0.2 s
 *   distinguish kinds of machines
 */
export function measureHostSpeed(clock: Pick<Clock, 'nowMs'>, forSeconds: number): HostSpeed {
  const { copy, release } = copier()
  // The first call of each is not counted, because it runs before the compiler has optimised the code.
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

/** The three kinds of work are interleaved, so that a short disturbance does not affect one kind alone. */
const turns = 3

/** Returns the best rate of the pieces of work in the time, at least one. Other programs only slow pieces down. */
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

/** Runs rounds of FNV-1a's multiplication with shifts; each depends on the one before. */
function hashRounds(): number {
  const rounds = 1_000_000
  let hash = 0x811c9dc5
  for (let round = 0; round < rounds; round += 1) {
    hash = Math.imul(hash ^ (round & 0xff), 0x01000193)
    hash ^= hash >>> 13
  }
  // The hash is used, so that the compiler cannot remove the loop.
  return hash === 0 ? rounds - 1 : rounds
}

/** Copies arrays that are larger than the caches of most machines. */
function copier(): { copy(): number; release(): void } {
  const sizeBytes = 32 * 2 ** 20
  const [source, target] = [new Uint8Array(sizeBytes).fill(1), new Uint8Array(sizeBytes)]
  return {
    copy() {
      target.set(source)
      return source.length
    },
    // Without this, the garbage collector would keep both arrays for the whole run.
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

/** Matrices as arrays of rows. `product` accumulates the products of the other two. */
const [a, b, product] = [matrix(7), matrix(5), matrix(1)]

/**
 * Multiplies two 32-bit matrices.
 *
 * @returns number of floating-point operations
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

/** A short function, because the compiler optimises it after a few calls; a long loop sometimes stays unoptimised. */
function addTimes(sums: Float32Array, row: Float32Array, factor: number): void {
  for (let column = 0; column < row.length; column += 1) {
    sums[column] = (sums[column] as number) + factor * (row[column] as number)
  }
}
