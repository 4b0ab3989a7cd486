/**
 * Φ(z), the share of a standard normal distribution at or below z.
 *
 * @see Hart et al. 1968, algorithm 5666, in West 2005, "Better approximations to cumulative normal
 *   functions", Wilmott: absolute error below 1e-15
 */
export function normalCumulative(z: number): number {
  const distance = Math.abs(z)
  if (distance > 37) return z > 0 ? 1 : 0
  const density = Math.exp((-distance * distance) / 2)
  const tail = distance < 7.071067811865475 ? density * nearTail(distance) : density * farTail(distance)
  return z > 0 ? 1 - tail : tail
}

const nearNumerator = [
  0.0352624965998911, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871,
  221.213596169931, 220.206867912376,
]
const nearDenominator = [
  0.0883883476483184, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674, 637.333633378831,
  793.826512519948, 440.413735824752,
]

function nearTail(distance: number): number {
  return polynomial(nearNumerator, distance) / polynomial(nearDenominator, distance)
}

function farTail(distance: number): number {
  const fraction = distance + 1 / (distance + 2 / (distance + 3 / (distance + 4 / (distance + 0.65))))
  return 1 / (fraction * 2.506628274631)
}

/** Horner's scheme, highest power first. */
function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0)
}

const central = {
  numerator: [
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946,
    1971.5909503065513, 133.14166789178438, 3.3871328727963665,
  ],
  denominator: [
    5226.495278852546, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751,
    687.1870074920579, 42.31333070160091, 1,
  ],
}
const near = {
  numerator: [
    0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
    5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  denominator: [
    1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
    1.6763848301838038, 2.053191626637759, 1,
  ],
}
const far = {
  numerator: [
    2.0103343992922881e-7, 0.000027115555687434876, 0.0012426609473880784, 0.026532189526576124,
    0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  denominator: [
    2.0442631033899397e-15, 1.421511758316446e-7, 0.000018463183175100548, 0.0007868691311456133,
    0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1,
  ],
}

/**
 * The z with Φ(z) = probability.
 *
 * @param probability in 0..1; the ends give -∞ and ∞
 * @see Wichura 1988, algorithm AS 241 (PPND16), doi:10.2307/2347330: relative error about 1e-16
 */
export function normalQuantile(probability: number): number {
  if (probability <= 0) return Number.NEGATIVE_INFINITY
  if (probability >= 1) return Number.POSITIVE_INFINITY
  const offset = probability - 0.5
  if (Math.abs(offset) <= 0.425) {
    const x = 0.180625 - offset * offset
    return (offset * polynomial(central.numerator, x)) / polynomial(central.denominator, x)
  }
  const root = Math.sqrt(-Math.log(Math.min(probability, 1 - probability)))
  const { region, x } = root <= 5 ? { region: near, x: root - 1.6 } : { region: far, x: root - 5 }
  const magnitude = polynomial(region.numerator, x) / polynomial(region.denominator, x)
  return offset < 0 ? -magnitude : magnitude
}
