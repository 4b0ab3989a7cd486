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
export function matrixProduct(): number {
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
