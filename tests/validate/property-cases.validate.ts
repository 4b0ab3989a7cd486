import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const withProperties = globSync('tests/**/*.test.ts').filter((path) =>
  readFileSync(path, 'utf8').includes("from 'fast-check'"),
)

test('every property holds for cases that the gate does not look at', async () => {
  expect(withProperties.length).toBeGreaterThan(30)
  for (let round = 0; round < 5; round += 1) {
    const seed = randomInt(2 ** 31)
    const { status, output } = await tested(seed)
    expect(status, `PROPERTY_SEED=${seed}\n${output}`).toBe(0)
  }
})

function tested(seed: number): Promise<{ readonly status: number; readonly output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [vitest, 'run', '--project', 'shared', ...withProperties],
      { env: { ...process.env, PROPERTY_SEED: String(seed) }, maxBuffer: 100_000_000 },
      (_, stdout, stderr) => resolve({ status: child.exitCode ?? 1, output: stdout + stderr }),
    )
  })
}
