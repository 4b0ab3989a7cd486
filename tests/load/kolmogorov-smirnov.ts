/** A cumulative distribution function. */
export type Distribution = (value: number) => number

/** Exponential with mean 1. */
export const exponential: Distribution = (value) => -Math.expm1(-value)

export const uniform: Distribution = (value) => Math.min(1, Math.max(0, value))

/**
 * Gamma with mean 1: the regularised lower incomplete gamma function P(shape, shape · value), by its series.
 *
 * @see Abramowitz and Stegun 6.5.29; Lanczos' approximation of the logarithm of Γ with g = 7, n = 9
 */
export function gamma(shape: number): Distribution {
  const logGammaOfShape = logGamma(shape)
  return (value) => {
    const x = shape * value
    if (x <= 0) return 0
    let term = 1 / shape
    let sum = term
    for (let n = 1; term > sum * 1e-15; n += 1) {
      term *= x / (shape + n)
      sum += term
    }
    return Math.min(1, sum * Math.exp(shape * Math.log(x) - x - logGammaOfShape))
  }
}

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

function logGamma(value: number): number {
  if (value < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * value)) - logGamma(1 - value)
  const sum = lanczos.reduce((total, weight, k) => total + (k === 0 ? weight : weight / (value - 1 + k)), 0)
  const t = value + 6.5
  return 0.5 * Math.log(2 * Math.PI) + (value - 0.5) * Math.log(t) - t + Math.log(sum)
}

/**
 * How probable a sample that far from the distribution is, if it comes from it. Uniform in 0..1 then.
 *
 * @see Kolmogorov 1933; the correction for small samples is Stephens 1970, doi:10.1111/j.2517-6161.1970.tb00821.x
 */
export function kolmogorovSmirnovP(sample: readonly number[], distribution: Distribution): number {
  const sorted = sample.toSorted((left, right) => left - right)
  const n = sorted.length
  let distance = 0
  for (const [rank, value] of sorted.entries()) {
    const expected = distribution(value)
    distance = Math.max(distance, expected - rank / n, (rank + 1) / n - expected)
  }
  const lambda = distance * (Math.sqrt(n) + 0.12 + 0.11 / Math.sqrt(n))
  let p = 0
  for (let k = 1; k <= 100; k += 1) p += 2 * (-1) ** (k - 1) * Math.exp(-2 * (k * lambda) ** 2)
  return Math.min(1, Math.max(0, lambda < 0.2 ? 1 : p))
}
