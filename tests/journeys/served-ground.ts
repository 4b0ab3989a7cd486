import { watch } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { connect, resolveTarget } from '#client/target'
import type { Mode } from '#contract/modes'
import { systemClock } from '#load/clock'
import { temporaryFolder } from '../temporary-folder.ts'
import { cliHere } from './cli-here.ts'
import type { Ground } from './fault-world.ts'
import { startCli } from './run-cli.ts'

/** Where a service can be reached. */
interface Announced {
  readonly port: number
  readonly token: string
}

/** `transcribench serve` as a separate process, with one model: a program that says "yes". It has a Mode "Mine". */
export interface ServedGround extends Ground {
  announced(): Promise<Announced>
  /** Counting from now, this transcription ends only when the service is killed. */
  holdAt(position: number): Promise<void>
  /** Resolves when a transcription is held. */
  held(): Promise<void>
  /** SIGKILL, and what the program waits for. */
  kill(): Promise<void>
  /** On another port, with another token. */
  startAgain(): Promise<void>
}

export const servedContender = { id: 'made', engine: 'command', model: 'good' } as const

export async function servedGround(): Promise<ServedGround> {
  const home = await temporaryFolder()
  const [data, marks] = [join(home.path, 'service'), join(home.path, 'marks')]
  const [hold, held, calls] = [join(marks, 'hold'), join(marks, 'held'), join(marks, 'calls')]
  await mkdir(marks)
  const engines = join(home.path, 'engines.json')
  const script = `
    if [ -e '${hold}' ]; then
      echo >> '${calls}'
      if [ "$(wc -l < '${calls}')" -gt "$(cat '${hold}')" ]; then
        : > '${held}'
        while [ -e '${hold}' ]; do sleep 0.02; done
      fi
    fi
    echo yes`
  await writeFile(
    engines,
    JSON.stringify({
      engines: [{ kind: 'command', id: 'good', program: 'sh', arguments: ['-c', script], language: 'en' }],
    }),
  )
  const discoveryPath = join(data, 'local-api.json')
  const announced = async (): Promise<Announced> => JSON.parse(await readFile(discoveryPath, 'utf8'))
  const start = async () => {
    const flags = ['--data-dir', data, '--models-dir', join(home.path, 'models'), '--engines', engines]
    const command = startCli(['serve', ...flags], { cwd: home.path, env: { TMPDIR: home.path } })
    await command.said(/Ctrl-C stops it/)
    return command
  }
  let serving = await start()
  const world = { env: process.env, home: homedir(), platform: process.platform }
  const target = await resolveTarget(discoveryPath, world)
  if (target.kind === 'embedded') throw new TypeError('a discovery file is never embedded')
  const connection = await connect(target, { clock: systemClock, connections: 2 })
  await connection.createMode({ name: 'Mine', model: 'good', language: 'en' })
  const kill = async (): Promise<void> => {
    serving.process.kill('SIGKILL')
    await serving.ended
    // The program outlives the service that started it.
    await rm(hold, { force: true })
  }
  const end = async (): Promise<void> => {
    await connection[Symbol.asyncDispose]()
    await kill()
  }
  return {
    folder: home.path,
    service: {
      discoveryPath,
      get process() {
        return serving.process
      },
      connection,
      async modes(): Promise<readonly Omit<Mode, 'modifiedDate'>[]> {
        const listed = await connection.listModes()
        if (!listed.ok) throw new Error(JSON.stringify(listed.failure))
        return listed.value.modes.map(({ modifiedDate: _, ...mode }) => mode)
      },
      [Symbol.asyncDispose]: end,
    },
    announced,
    async holdAt(position) {
      await Promise.all([held, calls].map((path) => rm(path, { force: true })))
      await writeFile(hold, String(position))
    },
    async held() {
      const watcher = watch(marks)
      try {
        await new Promise<void>((resolve, reject) => {
          const look = (): void =>
            void readFile(held).then(
              () => resolve(),
              () => undefined,
            )
          watcher.on('change', look).on('error', reject)
          look()
        })
      } finally {
        watcher.close()
      }
    },
    kill,
    async startAgain() {
      const before = await announced()
      await cliHere('serve', 'token', 'rotate', '--data-dir', data)
      serving = await start()
      const now = await announced()
      if (now.port === before.port || now.token === before.token) throw new Error('the service has not moved')
    },
    async [Symbol.asyncDispose]() {
      await end()
      await home[Symbol.asyncDispose]()
    },
  }
}
