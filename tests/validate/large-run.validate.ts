import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { runFiles } from '#journal'
import type { LargeRunFigures } from './large-run.ts'

const script = join(import.meta.dirname, 'large-run.ts')

async function inProcess(...args: readonly string[]): Promise<string> {
  const flags = ['--conditions=asrbench:source', '--disable-warning=ExperimentalWarning']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, ...args])
  return stdout
}

const measured = async (way: 'score' | 'evaluate', folder: string): Promise<LargeRunFigures> =>
  JSON.parse(await inProcess(way, folder))

test.each([
  ['100,000 requests of 50,000 utterances', 50_000, 1, 10],
  ['a million requests of 100,000 utterances', 100_000, 5, 100],
])('%s are evaluated, and every document is written', async (_name, utteranceCount, rounds, goalSeconds) => {
  const results = await mkdtemp(join(tmpdir(), 'asrbench-large-'))
  try {
    await inProcess('make', results, String(utteranceCount), String(rounds))
    const folder = join(results, 'large')
    const evaluated = await measured('evaluate', folder)
    const scored = await measured('score', folder)
    const sizes = await Promise.all(
      [runFiles.evaluation, runFiles.utteranceTable, runFiles.page].map(
        async (file) => `${file} ${((await stat(join(folder, file))).size / 1e6).toFixed(0)} MB`,
      ),
    )
    process.stdout.write(
      `${scored.attemptCount} requests: evaluated in ${evaluated.seconds.toFixed(1)} s, peak ` +
        `${evaluated.peakMegabytes.toFixed(0)} MB; read, evaluated and written in ${scored.seconds.toFixed(1)} s, ` +
        `peak ${scored.peakMegabytes.toFixed(0)} MB; ${sizes.join(', ')}\n`,
    )
    expect(scored.attemptCount).toBe(utteranceCount * rounds * 2)
    expect(evaluated.seconds).toBeLessThan(goalSeconds)
  } finally {
    await rm(results, { recursive: true, force: true })
  }
})
