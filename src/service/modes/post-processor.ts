import type { ModePreset } from '#contract'
import { failed, type Outcome, succeeded } from '#prelude'
import type { StoredMode } from '../modes/mode-store.ts'
import type { Outbound } from '../outbound.ts'
import type { ServiceEvent } from '../service-event.ts'
import { askChat } from './chat.ts'
import { type ChatProvider, hasItsKey } from './chat-providers.ts'
import { instructionsFor } from './instructions.ts'
import type { ProviderSnapshot } from './provider-snapshot.ts'

/** What is wanted of a language model. */
interface PostProcessJob {
  readonly text: string
  readonly mode: StoredMode | null
  readonly preset: ModePreset | null
  readonly prompt?: string | undefined
  /** Before the Mode's. */
  readonly provider?: string | undefined
  readonly model?: string | undefined
}

/** What became of the text; `isProcessed` false where the provider failed and the text is unchanged. */
export interface PostProcessedText {
  readonly text: string
  readonly provider: string | null
  readonly model: string | null
  readonly isProcessed: boolean
}

/** Edits texts through language models. */
export interface PostProcessor {
  /** Fails for an unknown provider; whatever a known one does is an answer. */
  process(job: PostProcessJob, signal: AbortSignal): Promise<Outcome<PostProcessedText, UnknownProvider>>
}

interface UnknownProvider {
  readonly provider: string
  readonly known: readonly string[]
}

export interface PostProcessorInput {
  readonly providers: readonly ChatProvider[]
  readonly snapshot: ProviderSnapshot
  readonly outbound: Outbound
  readonly timeoutSeconds: number
  readonly log: (event: ServiceEvent) => void
}

export function createPostProcessor(input: PostProcessorInput): PostProcessor {
  const { providers, snapshot, outbound, timeoutSeconds, log } = input
  return {
    async process(job, signal) {
      const chosen = await choose(job, providers, snapshot)
      if (!chosen.ok) return chosen
      const provider = chosen.value
      const unchanged = (model: string | null, reason: string): Outcome<PostProcessedText, never> => {
        log({ kind: 'postProcessingFailed', provider: provider?.id ?? null, reason })
        return succeeded({ text: job.text, provider: provider?.id ?? null, model, isProcessed: false })
      }
      if (provider === null) return unchanged(null, 'no provider has a key')
      const named = modelOf(job, provider)
      if (!hasItsKey(provider)) return unchanged(named, 'it has no key')
      const timeout = new AbortController()
      const timer = setTimeout(() => timeout.abort(), timeoutSeconds * 1000)
      try {
        const model = named ?? (await snapshot.firstModel(provider))
        const question = {
          model,
          instructions: instructionsFor({ ...job, prompt: job.prompt }),
          text: job.text,
        }
        const answer = await askChat(outbound, provider, question, AbortSignal.any([signal, timeout.signal]))
        if (!signal.aborted) snapshot.note(provider, answer.ok ? null : answer.failure)
        if (!answer.ok) return unchanged(model, answer.failure.reason)
        return succeeded({ text: answer.value, provider: provider.id, model, isProcessed: true })
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** @returns null where no provider is named and none is available */
async function choose(
  job: PostProcessJob,
  providers: readonly ChatProvider[],
  snapshot: ProviderSnapshot,
): Promise<Outcome<ChatProvider | null, UnknownProvider>> {
  const { mode } = job
  const named = job.provider ?? (mode?.postProcessingProvider || null)
  if (named !== null) {
    const found = providers.find(({ id }) => id === named.toLowerCase())
    if (found !== undefined) return succeeded(found)
    if (!(named === 'local' || named === 'cloud')) {
      return failed({ provider: named, known: providers.map(({ id }) => id) })
    }
  }
  const isLocal = named === 'local' || (named === null && mode?.postProcessingMode === localProcessing)
  const isCloud = named === 'cloud' || (named === null && mode?.postProcessingMode === cloudProcessing)
  const kind = isLocal ? 'local' : isCloud ? 'cloud' : null
  const candidates = providers.filter(
    (provider) => hasItsKey(provider) && (kind === null || provider.kind === kind),
  )
  const [first] = candidates
  return succeeded(first?.kind === 'local' ? await chooseLocal(job, candidates, snapshot) : (first ?? null))
}

/** Which of the servers of this machine has the model; else the first that answers, or that there could be. */
async function chooseLocal(
  job: PostProcessJob,
  candidates: readonly ChatProvider[],
  snapshot: ProviderSnapshot,
): Promise<ChatProvider | null> {
  await snapshot.findLocalModels()
  const has = (provider: ChatProvider): boolean => {
    const wanted = modelOf(job, provider)
    return snapshot.textModels().some((model) => model.provider === provider && model.id === wanted)
  }
  return candidates.find(has) ?? candidates.find(snapshot.isReachable) ?? candidates[0] ?? null
}

const cloudProcessing = 1
const localProcessing = 2

function modelOf({ model, mode }: PostProcessJob, provider: ChatProvider): string | null {
  const ofMode =
    provider.kind === 'local'
      ? mode?.localPostProcessingModel || mode?.languageModel
      : mode?.cloudPostProcessingModel || mode?.languageModel
  return model ?? (ofMode || provider.model)
}
