/**
 * A product of two 32-bit matrices.
 *
 * @returns floating-point operations that were done
 */
export function matrixProduct(): number {
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
