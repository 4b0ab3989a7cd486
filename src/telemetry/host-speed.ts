import type { Clock } from '#load'

/** How fast this machine is, one thread of it, in three ways. More is faster. */
export interface HostSpeed {
  /** Millions of rounds of an integer hash a second. */
  readonly integerMillionsPerSecond: number
  /** Billions of floating-point operations a second, of a 32-bit matrix product. */
  readonly floatBillionsPerSecond: number
  /** Billions of bytes a second that are copied in memory. */
  readonly memoryBillionsPerSecond: number
}

/**
 * Measures the machine for some seconds, in which this process does nothing else: before anything is measured, never
 * while it is. Integers, 32-bit floats and memory, because engines lean on them differently.
 *
 * @param forSeconds in all; five are enough to repeat within a few per cent on a quiet machine
 */
export function measureHostSpeed(clock: Pick<Clock, 'nowMs'>, forSeconds: number): HostSpeed {
  const partMs = (1000 * forSeconds) / 3
  return {
    integerMillionsPerSecond: perSecond(clock, partMs, hashRounds) / 1e6,
    floatBillionsPerSecond: perSecond(clock, partMs, matrixProduct) / 1e9,
    memoryBillionsPerSecond: perSecond(clock, partMs, copier()) / 1e9,
  }
}

/** Repeats a piece of work for its time; the first piece, which the compiler has not seen yet, is not counted. */
function perSecond(clock: Pick<Clock, 'nowMs'>, partMs: number, work: () => number): number {
  work()
  const startedAtMs = clock.nowMs()
  let done = 0
  let nowMs = startedAtMs
  do {
    done += work()
    nowMs = clock.nowMs()
  } while (nowMs - startedAtMs < partMs)
  return (1000 * done) / (nowMs - startedAtMs)
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

function matrixProduct(): number {
  const size = 128
  const [a, b, product] = [
    new Float32Array(size * size),
    new Float32Array(size * size),
    new Float32Array(size * size),
  ]
  for (let index = 0; index < a.length; index += 1) {
    a[index] = (index % 7) / 7
    b[index] = (index % 5) / 5
  }
  for (let row = 0; row < size; row += 1) {
    for (let inner = 0; inner < size; inner += 1) {
      const factor = a[row * size + inner] ?? 0
      for (let column = 0; column < size; column += 1) {
        const at = row * size + column
        product[at] = (product[at] ?? 0) + factor * (b[inner * size + column] ?? 0)
      }
    }
  }
  return 2 * size ** 3
}

/** Larger than the caches of most machines. */
function copier(): () => number {
  const [source, target] = [new Uint8Array(64 * 2 ** 20).fill(1), new Uint8Array(64 * 2 ** 20)]
  return () => {
    target.set(source)
    return source.length
  }
}
