import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the heap close to what is in use while many rows go through it. V8 doubles its space for young objects up to 134 MB,
 * however few of them are in use at once, and lets old garbage grow to several times of what is in use. The former keeps its size
 * from now on; the latter is limited until the result is disposed of.
 *
 * @param growingPercent how far the old space may grow beyond what is in use: less is collected more often
 */
export function limitHeapGrowth(growingPercent: number): Disposable {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`)
  // V8 decides by itself again.
  return { [Symbol.dispose]: () => setFlagsFromString('--heap-growing-percent=0') }
}
