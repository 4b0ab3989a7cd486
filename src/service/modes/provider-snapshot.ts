import { setTimeout as sleep } from 'node:timers/promises'
import type { ProviderState } from '#contract/enums'
import type { ProviderStatus } from '#contract/resources'
import type { Outbound } from '../engines/provider-exchange.ts'
import { withinTime } from '../waiting.ts'
import { type ChatFailure, type ChatProvider, hasItsKey, listChatModels } from './chat.ts'

/** A language model that texts can be edited with. */
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
 * What was last known of the providers. Reading it never waits.
 *
 * @param asksProviders false: no provider is asked in the background, and a cloud provider's state is known from real requests only
 */
export function createProviderSnapshot(
  providers: readonly ChatProvider[],
  outbound: Outbound,
  asksProviders: boolean,
) {
  const known = new Map<string, Known>()
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
    known.set(provider.id, answered)
    return answered
  }

  /** Those who ask at the same time share one request. */
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
      if (!known.has(provider.id)) known.set(provider.id, { state: 'checking', models: [] })
      void askOnce(provider)
    }
  }

  const isReachable = ({ id }: ChatProvider): boolean => known.get(id)?.state === 'healthy'

  function modelsOf(provider: ChatProvider): readonly string[] {
    const { kind, model } = provider
    if (!hasItsKey(provider) || (kind === 'local' && !isReachable(provider))) return []
    const listed = kind === 'local' ? (known.get(provider.id)?.models ?? []) : []
    return model === null || listed.includes(model) ? listed : [model, ...listed]
  }

  return {
    /** Answers at once, and asks the providers anew in the background where that was long ago. */
    read(): readonly ProviderStatus[] {
      refresh()
      return providers.map((provider) => {
        const { state } = known.get(provider.id) ?? { state: 'unknown' as const }
        return {
          id: provider.id,
          key_present: hasItsKey(provider),
          reachable: state === 'healthy' || state === 'unauthorized',
          status: state,
        }
      })
    },
    /** The models of providers that are there, as last known: of a cloud provider with its key, the one it is set up with. */
    textModels: (): readonly TextModel[] =>
      providers.flatMap((provider) => modelsOf(provider).map((id) => ({ id, provider }))),

    /** Asks the providers of this machine that were not asked for a minute. Waits a second for them at most. */
    async findLocalModels(): Promise<void> {
      const asked = stale(providers.filter(({ kind }) => kind === 'local')).map(askOnce)
      const patience = new AbortController()
      const passed = sleep(localPatienceMs, undefined, { signal: patience.signal, ref: false })
      // A late server is listed the next time.
      await Promise.race([Promise.all([...asked, ...asking.values()]), passed])
      passed.catch(() => undefined)
      patience.abort()
    },
    /** The first model that a provider listed when it was last asked. */
    async firstModel(provider: ChatProvider): Promise<string | null> {
      const models = known.get(provider.id)?.models ?? []
      return (models.length > 0 ? models : (await askOnce(provider)).models)[0] ?? null
    },
    isReachable,
    /** What a real request has just shown. */
    note({ id }: ChatProvider, failure: ChatFailure | null) {
      const models = known.get(id)?.models ?? []
      known.set(id, { state: failure === null ? 'healthy' : stateAfter(failure), models })
    },
    close: () => closing.abort(),
  }
}

function stateAfter({ kind }: ChatFailure): ProviderState {
  if (kind === 'unauthorized') return 'unauthorized'
  // It answered, if not as it was asked to.
  return kind === 'unreachable' ? 'unreachable' : 'healthy'
}
