import type { Random } from '#prelude'

/** ln(0!), ln(1!), … ln(n!). */
export function logFactorials(n: number): Float64Array {
  const table = new Float64Array(n + 1)
  for (let k = 2; k <= n; k += 1) table[k] = (table[k - 1] as number) + Math.log(k)
  return table
}

/**
 * How many of `trials` succeed, each with the same probability: a draw from the binomial distribution.
 *
 * @param logFactorial from `logFactorials(n)` with n ≥ trials
 * @see Hörmann 1993, algorithm BTRS, doi:10.1080/00949659308811496; Kachitvichyanukul and Schmeiser 1988,
 *   algorithm BINV, where fewer than ten successes are expected. Both are exact.
 */
export function drawBinomial(
  trials: number,
  probability: number,
  logFactorial: Float64Array,
  random: Random,
): number {
  if (probability <= 0 || trials <= 0) return 0
  if (probability >= 1) return trials
  if (probability > 0.5) return trials - drawBinomial(trials, 1 - probability, logFactorial, random)
  return trials * probability < 10
    ? drawByInversion(trials, probability, random)
    : drawByRejection(trials, probability, logFactorial, random)
}

function drawByInversion(trials: number, probability: number, random: Random): number {
  const odds = probability / (1 - probability)
  let mass = (1 - probability) ** trials
  let left = random.unit()
  let successes = 0
  while (left > mass && successes < trials) {
    left -= mass
    successes += 1
    mass *= ((trials - successes + 1) / successes) * odds
  }
  return successes
}

function drawByRejection(
  trials: number,
  probability: number,
  logFactorial: Float64Array,
  random: Random,
): number {
  const deviation = Math.sqrt(trials * probability * (1 - probability))
  const b = 1.15 + 2.53 * deviation
  const a = -0.0873 + 0.0248 * b + 0.01 * probability
  const centre = trials * probability + 0.5
  const accepted = 0.92 - 4.2 / b
  const alpha = (2.83 + 5.1 / b) * deviation
  const logOdds = Math.log(probability / (1 - probability))
  const mode = Math.floor((trials + 1) * probability)
  const logMode = (logFactorial[mode] as number) + (logFactorial[trials - mode] as number)
  for (;;) {
    const u = random.unit() - 0.5
    const v = random.unit()
    const edge = 0.5 - Math.abs(u)
    const k = Math.floor(((2 * a) / edge + b) * u + centre)
    if (k < 0 || k > trials) continue
    if (edge >= 0.07 && v <= accepted) return k
    const logMass =
      logMode - (logFactorial[k] as number) - (logFactorial[trials - k] as number) + (k - mode) * logOdds
    if (Math.log((v * alpha) / (a / (edge * edge) + b)) <= logMass) return k
  }
}
