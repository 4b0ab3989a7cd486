import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { withLanguages } from '#results/page-assets'
import * as scoring from '#scoring/index'
import { readVectors } from './vectors.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: "export * from '#scoring/index'", resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    charset: 'utf8',
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'scoring',
    plugins: [withLanguages],
  })
  return outputFiles[0]?.text ?? ''
}

describe('the scoring room in a browser', async () => {
  const code = await bundle()

  test('is under 605 kB with the tables of all languages', () => {
    expect(Buffer.byteLength(code)).toBeGreaterThan(50_000)
    expect(Buffer.byteLength(code)).toBeLessThan(605_000)
  })

  test('gives byte for byte what it gives in Node', () => {
    const pairs = readVectors<{ ref: string; hyp: string }>('pairs')
      .filter((_, index) => index % 80 === 0)
      .map(({ ref, hyp }) => ({ reference: ref, hypothesis: hyp }))
    const work = (room: typeof scoring): unknown =>
      room.profiles.map((profile) => ({
        id: profile.id,
        fingerprint: profile.fingerprint,
        scores: pairs.map((pair) => room.scorePair(pair, profile)),
        steps: pairs.map((pair) => room.alignPair(pair, profile, 'sclite').steps),
      }))
    // A new context has what the language gives, and of the rest only what every browser has.
    const context = createContext({ TextEncoder, pairs })
    runInContext(code, context)
    const inBrowser = runInContext(`JSON.stringify((${work.toString()})(scoring))`, context) as string
    expect(inBrowser).toBe(JSON.stringify(work(scoring)))
    expect(inBrowser.length).toBeGreaterThan(100_000)
  })
})
