import type { ProviderState, ProviderStatus } from '#contract'
import type { ChatFailure } from './chat.ts'
import { listChatModels } from './chat.ts'
import { type ChatProvider, hasItsKey } from './chat-providers.ts'

/** What was last known of the providers. Reading it never waits. */
export interface ProviderSnapshot {
  /** Answers at once, and asks the providers anew in the background where that was long ago. */
  read(): readonly ProviderStatus[]
  /** The first model that a provider listed when it was last asked. */
  firstModel(provider: ChatProvider): Promise<string | null>
  /** What a real request has just shown. */
  note(provider: ChatProvider, failure: ChatFailure | null): void
  close(): void
}

interface Known {
  readonly state: ProviderState
  readonly models: readonly string[]
}

const freshForMs = 60_000
const patienceMs = 5_000

/** @param asksProviders false: nobody is asked in the background, and a state is known from real requests only */
export function createProviderSnapshot(
  providers: readonly ChatProvider[],
  asksProviders: boolean,
): ProviderSnapshot {
  const known = new Map<string, Known>()
  const closing = new AbortController()
  let askedAtMs = Number.NEGATIVE_INFINITY

  async function ask(provider: ChatProvider): Promise<Known> {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), patienceMs)
    timer.unref()
    const outcome = await listChatModels(provider, AbortSignal.any([patience.signal, closing.signal]))
    clearTimeout(timer)
    const answered: Known = outcome.ok
      ? { state: 'healthy', models: outcome.value }
      : { state: stateAfter(outcome.failure), models: [] }
    known.set(provider.id, answered)
    return answered
  }

  function refresh(): void {
    const nowMs = performance.now()
    if (!asksProviders || closing.signal.aborted || nowMs - askedAtMs < freshForMs) return
    askedAtMs = nowMs
    for (const provider of providers.filter(hasItsKey)) {
      if (!known.has(provider.id)) known.set(provider.id, { state: 'checking', models: [] })
      void ask(provider)
    }
  }

  return {
    read() {
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
    async firstModel(provider) {
      const models = known.get(provider.id)?.models ?? []
      return (models.length > 0 ? models : (await ask(provider)).models)[0] ?? null
    },
    note({ id }, failure) {
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
