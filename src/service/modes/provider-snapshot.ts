import { setTimeout as sleep } from 'node:timers/promises'
import type { ProviderState } from '#contract/enums'
import type { ProviderStatus } from '#contract/resources'
import type { Outbound } from '../engines/provider-exchange.ts'
import { withinTime } from '../waiting.ts'
import { type ChatFailure, type ChatProvider, hasItsKey, listChatModels } from './chat.ts'

/** A language model that can edit texts. */
export interface TextModel {
  readonly id: string
  readonly provider: ChatProvider
}

interface Known {
  readonly state: ProviderState
  readonly models: readonly string[]
}

const freshForMs = 60_000
const patienceMs = 5_000
const localPatienceMs = 1_000

export type ProviderSnapshot = ReturnType<typeof createProviderSnapshot>

/**
 * The last known states of the providers. Reading it never waits.
 *
 * @param asksProviders false: only real requests show the state of a cloud provider, not background ones
 */
export function createProviderSnapshot(
  providers: readonly ChatProvider[],
  outbound: Outbound,
  asksProviders: boolean,
) {
  const states = new Map<string, Known>()
  const asking = new Map<string, Promise<Known>>()
  const askedAtMs = new Map<string, number>()
  const closing = new AbortController()

  async function ask(provider: ChatProvider): Promise<Known> {
    const outcome = await withinTime(patienceMs, closing.signal, (signal) =>
      listChatModels(outbound, provider, signal),
    )
    const answered: Known = outcome.ok
      ? { state: 'healthy', models: outcome.value }
      : { state: stateAfter(outcome.failure), models: [] }
    states.set(provider.id, answered)
    return answered
  }

  /** Concurrent callers share one request. */
  function askOnce(provider: ChatProvider): Promise<Known> {
    const underWay = asking.get(provider.id) ?? ask(provider).finally(() => asking.delete(provider.id))
    asking.set(provider.id, underWay)
    askedAtMs.set(provider.id, performance.now())
    return underWay
  }

  function stale(candidates: readonly ChatProvider[]): readonly ChatProvider[] {
    if (closing.signal.aborted) return []
    const sinceMs = performance.now() - freshForMs
    return candidates.filter(({ id }) => (askedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < sinceMs)
  }

  function refresh(): void {
    if (!asksProviders) return
    for (const provider of stale(providers.filter(hasItsKey))) {
      if (!states.has(provider.id)) states.set(provider.id, { state: 'checking', models: [] })
      void askOnce(provider)
    }
  }

  const isReachable = ({ id }: ChatProvider): boolean => states.get(id)?.state === 'healthy'

  function modelsOf(provider: ChatProvider): readonly string[] {
    const { kind, model } = provider
    if (!hasItsKey(provider) || (kind === 'local' && !isReachable(provider))) return []
    const listed = kind === 'local' ? (states.get(provider.id)?.models ?? []) : []
    return model === null || listed.includes(model) ? listed : [model, ...listed]
  }

  return {
    /** Returns the known states at once, and refreshes stale ones in the background. */
    read(): readonly ProviderStatus[] {
      refresh()
      return providers.map((provider) => {
        const { state } = states.get(provider.id) ?? { state: 'unknown' as const }
        return {
          id: provider.id,
          key_present: hasItsKey(provider),
          reachable: state === 'healthy' || state === 'unauthorized',
          status: state,
        }
      })
    },
    /** Last known models of available providers; for a cloud provider with a key, its configured model. */
    textModels: (): readonly TextModel[] =>
      providers.flatMap((provider) => modelsOf(provider).map((id) => ({ id, provider }))),

    /** Refreshes local providers whose state is older than a minute; waits one second at most. */
    async findLocalModels(): Promise<void> {
      const refreshes = stale(providers.filter(({ kind }) => kind === 'local')).map(askOnce)
      const patience = new AbortController()
      const passed = sleep(localPatienceMs, undefined, { signal: patience.signal, ref: false })
      // A slower server is listed on the next call.
      await Promise.race([Promise.all([...refreshes, ...asking.values()]), passed])
      passed.catch(() => undefined)
      patience.abort()
    },
    /** The first model in the provider's last list. */
    async firstModel(provider: ChatProvider): Promise<string | null> {
      const models = states.get(provider.id)?.models ?? []
      return (models.length > 0 ? models : (await askOnce(provider)).models)[0] ?? null
    },
    isReachable,
    /** Records what a real request has shown. */
    note({ id }: ChatProvider, failure: ChatFailure | null) {
      const models = states.get(id)?.models ?? []
      states.set(id, { state: failure === null ? 'healthy' : stateAfter(failure), models })
    },
    close: () => closing.abort(),
  }
}

function stateAfter({ kind }: ChatFailure): ProviderState {
  if (kind === 'unauthorized') return 'unauthorized'
  // A refusal or a malformed response shows that the provider is reachable.
  return kind === 'unreachable' ? 'unreachable' : 'healthy'
}
