// Coefficients of the Lanczos approximation with g = 7 and nine terms; relative error below 1e-13 for x > 0.
const lanczos = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
  12.507343278686905, -0.13857109526572012, 0.000009984369578019572, 1.5056327351493116e-7,
] as const

/**
 * ln Γ(x) for x > 0.
 *
 * @see Lanczos 1964, doi:10.1137/0701008
 */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  let sum: number = lanczos[0]
  for (let term = 1; term < lanczos.length; term += 1) sum += (lanczos[term] as number) / (x - 1 + term)
  const shifted = x + 6.5
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(shifted) - shifted + Math.log(sum)
}

/**
 * The regularised incomplete beta function I_x(a, b), for a, b > 0 and x in 0..1.
 *
 * @see Press et al., Numerical Recipes, 3rd edition, 6.4: continued fraction by the modified Lentz method,
 *   on the side of the mean where it converges fast
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b
}

function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const away = (value: number): number => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= 20_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return fraction
}

/** The x with I_x(a, b) = probability, by bisection to the precision of a double. */
export function inverseIncompleteBeta(probability: number, a: number, b: number): number {
  let low = 0
  let high = 1
  for (let step = 0; step < 200 && low < high; step += 1) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    if (incompleteBeta(middle, a, b) < probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/**
 * P(B ≤ k) for B binomial with n trials of the given probability.
 *
 * @see Abramowitz and Stegun 26.5.24: P(B ≤ k) = I_{1-p}(n - k, k + 1)
 */
export function binomialCumulative(k: number, n: number, probability: number): number {
  if (k < 0) return 0
  if (k >= n) return 1
  return incompleteBeta(1 - probability, n - k, k + 1)
}
