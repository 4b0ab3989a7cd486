import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runFiles } from '#journal/run-writer'
import { printing, programsOnPath } from '../telemetry/programs-on-path.ts'
import { raplPackage, writeSys } from '../telemetry/sys-folder.ts'
import { runCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

test.skipIf(process.platform !== 'linux')(
  'a run reads graphics processors from PATH and energy from HOST_SYS, and reports what the audio took',
  async () => {
    await using home = await workplace()
    const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: 'the cat', two: 'the cat sat' })
    const sys = join(home.path, 'sys')
    const range = 100_000_000
    // It begins anew after ten requests.
    await writeSys(sys, raplPackage(0, { microjoules: 80_000_000, range }))
    const counter = join(sys, 'class/powercap/intel-rapl:0/energy_uj')
    // Every request takes 2 J of the processor and half a second.
    const script = `sleep 0.4; echo $((($(cat '${counter}') + 2000000) % ${range})) > '${counter}.new'; mv '${counter}.new' '${counter}'; echo the cat`
    const engine = { kind: 'command', id: 'right', program: 'sh', arguments: ['-c', script] }
    await home.write('engines.json', JSON.stringify({ engines: [engine] }))
    await using programs = await programsOnPath({
      'nvidia-smi': printing(['0, NVIDIA L4, 40, 2000, 50.00, 2040, 6251, 0x0000000000000004'], 1),
    })
    const config = {
      corpus: manifest,
      engines: 'engines.json',
      contenders: [{ engine: 'command', model: 'right' }],
      rounds: 8,
      warmupRequests: 1,
      maxWarmupRequests: 0,
    }
    await home.write('run.json', JSON.stringify(config))
    const env = { PATH: programs.env['PATH'] ?? '', HOST_SYS: sys }
    const run = await runCli(['run', 'run.json'], { cwd: home.path, env })
    expect(run.code, run.stderr).toBe(0)

    const { folder, telemetry, attempts: all, evaluation } = await home.evaluated()
    const attempts = all.filter(({ phase }) => phase === 'measure')
    expect(telemetry[0]?.unread).toMatchObject({ server: null, rapl: null })
    expect(telemetry.some(({ gpus }) => gpus?.[0]?.name === 'NVIDIA L4')).toBe(true)
    expect(evaluation.resources.gpu?.devices?.[0]).toMatchObject({
      powerWatts: 50,
      throttled: [{ reason: 'power limit', rate: 1 }],
    })
    const energy = evaluation.contenders[0]?.energy
    if (energy === undefined || energy.value === null) throw new Error(energy?.reason)
    expect(energy.covers).toEqual(['package', 'dram', 'gpu'])
    const joules = (part: string): number =>
      energy.parts.find((one) => one.part === part)?.joules ?? Number.NaN
    // The counter steps by 2 J, and is read between two samples at each end of a block.
    const blockCount = new Set(attempts.map(({ block }) => block)).size
    expect(Math.abs(joules('package') - 2 * attempts.length)).toBeLessThan(2 * blockCount)
    expect(joules('dram')).toBe(0)
    const lastedSeconds = ((attempts.at(-1)?.endedAtMs ?? 0) - (attempts.at(0)?.sentAtMs ?? 0)) / 1000
    expect(joules('gpu') / lastedSeconds).toBeCloseTo(50, 0)

    const page = await readFile(join(folder, runFiles.page), 'utf8')
    expect(page).toContain('Energy for an hour of audio')
    const csv = await home.cli('report', 'latest', '--format', 'csv', '--table', 'gpus')
    expect(csv.stdout).toContain('nvidia 0,NVIDIA L4,0.')
  },
)
