import { join } from 'node:path'
import type { Clock } from '#load'
import { agentConnection, type BrokerAddress } from '../queue/broker.ts'

/** A host, as its agent was started. */
export interface AgentHost {
  readonly address: BrokerAddress
  readonly name: string
  /** Where blocks are measured, kept until they are confirmed, and fetched files are. */
  readonly dataFolder: string
  /** A folder that the coordinator sees too, for results; null where they go through Redis. */
  readonly sharedFolder: string | null
  /** Corpora that are on this host. */
  readonly corpora: readonly string[]
  /** The target of this host, and its engines; those of the config where null. */
  readonly target: string | null
  readonly engines: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Ends the agent: what is in flight is waited for. */
  readonly stop: AbortSignal
  readonly drop: AbortSignal
}

/** In CLIENT LIST. */
export function connectionName({ name }: Pick<AgentHost, 'name'>): string {
  return agentConnection(name)
}

export function outboxOf({ dataFolder }: Pick<AgentHost, 'dataFolder'>): string {
  return join(dataFolder, 'outbox')
}
