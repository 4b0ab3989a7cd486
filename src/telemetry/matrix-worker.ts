/** A thread that multiplies matrices when it is told to, for as long as it is told. */
import { parentPort } from 'node:worker_threads'
import { matrixProduct } from './matrix-product.ts'

/** Milliseconds to work for. */
export type MatrixOrder = number
/** Floating-point operations a millisecond, over all of the time. */
export type MatrixRate = number

/** Before the first order, so that the compiler is through. */
const warmUpProducts = 20

for (let product = 0; product < warmUpProducts; product += 1) matrixProduct()
parentPort?.on('message', (forMs: MatrixOrder) => {
  const startedAtMs = performance.now()
  let done = 0
  let nowMs = startedAtMs
  do {
    done += matrixProduct()
    nowMs = performance.now()
  } while (nowMs - startedAtMs < forMs)
  parentPort?.postMessage((done / (nowMs - startedAtMs)) satisfies MatrixRate)
})
parentPort?.postMessage(0 satisfies MatrixRate)
