import { spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { scaleTable } from '../../scripts/fleet-scale.ts'
import { runCli } from '../journeys/run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const docs = join(import.meta.dirname, '../../docs')

async function read(name: string): Promise<string> {
  return readFile(join(docs, name), 'utf8')
}

/** Every option that a command of a file gives to the agent. */
function optionsIn(command: readonly string[]): readonly string[] {
  expect(command.slice(0, 4)).toEqual(['npx', 'transcribench', 'fleet', 'agent'])
  return command.filter((word) => word.startsWith('--'))
}

interface Compose {
  readonly services: Readonly<Record<string, { readonly command: readonly string[] }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

interface KubernetesJob {
  readonly apiVersion: string
  readonly kind: string
  readonly spec: {
    readonly completionMode: string
    readonly template: {
      readonly spec: {
        readonly restartPolicy: string
        readonly containers: readonly {
          readonly command: readonly string[]
          readonly volumeMounts: readonly { readonly name: string }[]
        }[]
        readonly volumes: readonly { readonly name: string }[]
      }
    }
  }
}

describe('files to start a fleet from', () => {
  test('give the agent only options that it has', async () => {
    const { services, volumes }: Compose = parse(await read('fleet/compose.yaml'), { merge: true })
    const { redis, ...agents } = services
    const job: KubernetesJob = parse(await read('fleet/kubernetes-job.yaml'))
    const { containers, volumes: podVolumes, restartPolicy } = job.spec.template.spec
    const unit = await read('systemd/transcribench-agent.service')
    const typed = [
      ...Object.values(agents).flatMap(({ command }) => optionsIn(command)),
      ...containers.flatMap(({ command }) => optionsIn(command)),
      ...[...unit.matchAll(/ (--[a-z-]+)/g)].map((match) => match[1] ?? ''),
    ]
    const { stdout } = await runCli(['fleet', 'agent', '--help'], { cwd: docs })
    expect(typed.length).toBeGreaterThan(8)
    for (const option of typed) expect(stdout).toContain(`${option} <`)
    expect(redis?.command).toContain('--appendonly')
    expect(Object.keys(volumes).sort()).toEqual(Object.keys(services).sort())
    expect(job).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job', spec: { completionMode: 'Indexed' } })
    expect(restartPolicy).toBe('OnFailure')
    const mounted = containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name))
    expect(mounted).toEqual(podVolumes.map(({ name }) => name))
  })

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

  test.skipIf(!hasSystemd)('are a unit that systemd accepts', async () => {
    await using folder = await temporaryFolder()
    const node = join(folder.path, 'node')
    const text = await read('systemd/transcribench-agent.service')
    // The installation is not on this machine. In quotes, because a checkout may lie at a path with a space.
    const here = text.replaceAll('/opt/transcribench/node_modules/.bin/node ', `"${process.execPath}" `)
    await mkdir(node)
    const unit = join(node, 'transcribench-agent.service')
    await writeFile(unit, here)
    const { stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
    expect(stderr.split('\n').filter((line) => line.includes('transcribench-agent'))).toEqual([])
  })
})

test('the table of docs/scale.md is what the simulation gives', async () => {
  expect(await read('scale.md')).toContain(scaleTable())
})
