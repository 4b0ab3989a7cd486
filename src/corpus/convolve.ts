import FFT from 'fft.js'

/**
 * Convolves by overlap-add in blocks, so that long recordings need little more memory than themselves.
 *
 * @returns `samples.length + response.length - 1` samples
 * @see Oppenheim and Schafer, Discrete-Time Signal Processing, 8.7.3
 */
export function convolve(samples: Float32Array, response: Float32Array): Float32Array {
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, 2 * response.length)))
  const step = size - response.length + 1
  const fft = new FFT(size)
  const transform = (part: Float32Array): number[] => {
    const input = new Array<number>(size).fill(0)
    part.forEach((value, index) => {
      input[index] = value
    })
    const spectrum = fft.createComplexArray() as number[]
    fft.realTransform(spectrum, input)
    fft.completeSpectrum(spectrum)
    return spectrum
  }
  const filter = transform(response)
  const result = new Float32Array(samples.length + response.length - 1)
  const output = fft.createComplexArray() as number[]
  for (let from = 0; from < samples.length; from += step) {
    fft.inverseTransform(output, product(transform(samples.subarray(from, from + step)), filter))
    for (let index = 0; index < size && from + index < result.length; index += 1) {
      result[from + index] = (result[from + index] as number) + (output[2 * index] as number)
    }
  }
  return result
}

/** Multiplies complex numbers element by element; real and imaginary parts alternate. */
function product(left: readonly number[], right: readonly number[]): number[] {
  const result = new Array<number>(left.length)
  for (let index = 0; index < left.length; index += 2) {
    const [a, b] = [left[index] as number, left[index + 1] as number]
    const [c, d] = [right[index] as number, right[index + 1] as number]
    result[index] = a * c - b * d
    result[index + 1] = a * d + b * c
  }
  return result
}
