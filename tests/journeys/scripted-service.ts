import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '#client/connection'
import { connect, resolveTarget } from '#client/target'
import type { Mode } from '#contract/modes'
import { systemClock } from '#load/clock'
import type { ScriptedModel } from '#service/engines/scripted'
import type { ScriptedOrder } from './service-process.ts'

/** A service in a separate process, whose models answer what and when a script says. */
export interface ScriptedService extends AsyncDisposable {
  readonly discoveryPath: string
  readonly process: ChildProcess
  readonly connection: Connection
  /** All Modes, without `modifiedDate`, which a restored Mode may differ in. */
  modes(): Promise<readonly Omit<Mode, 'modifiedDate'>[]>
}

export async function startScriptedService(
  dataDir: string,
  models: Readonly<Record<string, ScriptedModel>>,
  options: Partial<Omit<ScriptedOrder, 'dataDir' | 'models'>> = {},
): Promise<ScriptedService> {
  const child = fork(join(import.meta.dirname, 'service-process.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  child.send({ dataDir, models, record: false, ...options } satisfies ScriptedOrder)
  const [discoveryPath] = await once(child, 'message')
  const world = { env: process.env, home: homedir(), platform: process.platform }
  const target = await resolveTarget(String(discoveryPath), world)
  if (target.kind === 'embedded') throw new TypeError('a discovery file is never embedded')
  const connection = await connect(target, { clock: systemClock, connections: 2 })
  return {
    discoveryPath: String(discoveryPath),
    process: child,
    connection,
    async modes() {
      const listed = await connection.listModes()
      if (!listed.ok) throw new Error(JSON.stringify(listed.failure))
      return listed.value.modes.map(({ modifiedDate: _, ...mode }) => mode)
    },
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
