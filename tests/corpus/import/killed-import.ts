import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { runCli, startCli } from '../../journeys/run-cli.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { shard, startHub } from './local-hub.ts'

const bytesBeforeKill = 100_000

/** An import that is killed in a transfer and between recordings ends as one that is not, and fetches nothing twice. */
export async function expectSameWhenKilled(utterancesPerShard: number): Promise<void> {
  await using home = await temporaryFolder()
  const ids = (name: string): readonly string[] =>
    Array.from({ length: utterancesPerShard }, (_, index) => `${name}-${String(index).padStart(4, '0')}`)
  const files = {
    'data/test-00000-of-00003.parquet': shard(ids('s0'), 'SNAPPY'),
    'data/test-00001-of-00003.parquet': shard(ids('s1'), 'GZIP'),
    'data/test-00002-of-00003.parquet': shard(ids('s2'), 'ZSTD'),
  }
  await using hub = await startHub({ files })
  const options = { cwd: home.path, env: hub.env }
  const command = (folder: string) => ['corpus', 'import', 'hf:voices/speech', '--output', folder]
  const state = join(home.path, 'killed/.import/state.jsonl')
  const recordingsDone = async (): Promise<number> =>
    (await readFile(state, 'utf8').catch(() => '')).split('"recording"').length - 1
  const fetched = join(home.path, 'killed/.import/fetched')
  const bytesOnDisk = async (): Promise<number> => {
    const names = await readdir(fetched).catch(() => [])
    const sizes = await Promise.all(
      names.map(async (name) => (await stat(join(fetched, name)).catch(() => null))?.size ?? 0),
    )
    return sizes.reduce((sum, size) => sum + size, 0)
  }
  // Once in the transfer of the first shard, once among the utterances of the second.
  for (const isReached of [
    async () => (await bytesOnDisk()) > bytesBeforeKill,
    async () => (await recordingsDone()) > 1.5 * utterancesPerShard,
  ]) {
    const killed = startCli(command('killed'), options)
    while (!(await isReached()) && killed.process.exitCode === null) await setTimeout(2)
    killed.process.kill('SIGKILL')
    expect((await killed.ended).signal).toBe('SIGKILL')
  }
  const completed = await runCli(command('killed'), options)
  expect(completed.code, completed.stderr).toBe(0)
  expect(completed.stdout).toContain(
    `imported: ${(3 * utterancesPerShard).toLocaleString('en-US')} utterances`,
  )
  const transfers = Map.groupBy(hub.transfers, ({ path }) => path)
  for (const [path, own] of transfers) {
    const length = files[path as keyof typeof files].length
    // What was on its way to the process that was killed is lost, but not what was on disk.
    expect(own.reduce((sum, { sent }) => sum + sent, 0) - length, path).toBeLessThan(length - bytesBeforeKill)
    expect(own.filter(({ from }) => from === 0).length, path).toBe(1)
  }
  const whole = await runCli(command('whole'), options)
  expect(whole.code, whole.stderr).toBe(0)
  expect(await readFile(join(home.path, 'killed/manifest.jsonl'), 'utf8')).toBe(
    await readFile(join(home.path, 'whole/manifest.jsonl'), 'utf8'),
  )
}
