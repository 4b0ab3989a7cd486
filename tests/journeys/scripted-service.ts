import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '#client/connection'
import { connect, resolveTarget } from '#client/target'
import type { Mode } from '#contract/modes'
import { systemClock } from '#load/clock'
import type { ScriptedModel } from '../service/scripted-catalogue.ts'
import type { ScriptedOrder } from './service-process.ts'

/** A service in a separate process, whose models answer what and when a script says. */
export interface ScriptedService extends AsyncDisposable {
  readonly discoveryPath: string
  readonly process: ChildProcess
  readonly connection: Connection
  /** All Modes, without `modifiedDate`, which a restored Mode may differ in. */
  modes(): Promise<readonly Omit<Mode, 'modifiedDate'>[]>
}

/** Processes whose service has ended: starting another one there spares loading the modules. */
const idleProcesses: ChildProcess[] = []

function startProcess(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'service-process.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  child.setMaxListeners(0)
  return child
}

/** The answer to an order; null where the process has ended. */
async function answered(child: ChildProcess, order: ScriptedOrder | 'stop'): Promise<string | null> {
  if (child.exitCode !== null || child.signalCode !== null) return null
  const listening = new AbortController()
  const { signal } = listening
  const answer = Promise.race([
    once(child, 'message', { signal }).then(([text]) => String(text)),
    once(child, 'exit', { signal }).then(() => null),
  ])
  child.send(order, () => undefined)
  return answer.finally(() => listening.abort())
}

export async function startScriptedService(
  dataDir: string,
  models: Readonly<Record<string, ScriptedModel>>,
  options: Partial<Omit<ScriptedOrder, 'dataDir' | 'models'>> = {},
): Promise<ScriptedService> {
  const child = idleProcesses.pop() ?? startProcess()
  child.ref()
  child.channel?.ref()
  const discoveryPath = await answered(child, { dataDir, models, record: false, ...options })
  if (discoveryPath === null) throw new Error('the process of the service has ended')
  const world = { env: process.env, home: homedir(), platform: process.platform }
  const target = await resolveTarget(discoveryPath, world)
  if (target.kind === 'embedded') throw new TypeError('a discovery file is never embedded')
  const connection = await connect(target, { clock: systemClock, connections: 2 })
  return {
    discoveryPath,
    process: child,
    connection,
    async modes() {
      const listed = await connection.listModes()
      if (!listed.ok) throw new Error(JSON.stringify(listed.failure))
      return listed.value.modes.map(({ modifiedDate: _, ...mode }) => mode)
    },
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      if ((await answered(child, 'stop')) === null) return
      // It does not keep the tests running.
      child.unref()
      child.channel?.unref()
      idleProcesses.push(child)
    },
  }
}
