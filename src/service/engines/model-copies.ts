import type { Outcome } from '#prelude'
import type { EngineFailure, LoadedModel } from './engine.ts'

type Loading = Promise<Outcome<LoadedModel, EngineFailure>>

/** The copies of one model in memory, which share its work. */
export interface ModelCopies {
  /** Hands the work to the copy that has least to do; it is loaded for it where it is not in memory. */
  use<Result>(work: (copy: Awaited<Loading>, wasLoaded: boolean) => Promise<Result>): Promise<Result>
  /** Loads all copies, as the first requests would. */
  load(): Promise<Outcome<void, EngineFailure>>
  isLoaded(): boolean
  /** Waits for copies that are being loaded, and frees all of them. Work that is under way has been given up. */
  unload(): Promise<void>
}

interface Copy {
  /** Null until it is first asked for, and again after a failure, which may have been repaired, or the end of its process. */
  loading: Loading | null
  isLoaded: boolean
  workCount: number
}

export interface ModelCopiesInput {
  readonly count: number
  readonly load: () => Loading
  /** After so long without work all copies are freed; null keeps them. */
  readonly idleUnloadSeconds: number | null
}

export function createModelCopies({ count, load, idleUnloadSeconds }: ModelCopiesInput): ModelCopies {
  const copies = Array.from({ length: count }, (): Copy => ({ loading: null, isLoaded: false, workCount: 0 }))
  let idleTimer: NodeJS.Timeout | undefined

  async function loaded(copy: Copy): Loading {
    copy.loading ??= start(copy)
    const { loading } = copy
    const outcome = await loading
    // Its process may have ended meanwhile.
    if (outcome.ok) copy.isLoaded = copy.loading === loading
    else forget(copy, loading)
    return outcome
  }

  function start(copy: Copy): Loading {
    const loading = load()
    // Once, and not for each clip, or they would pile up.
    void loading.then((outcome) => {
      if (outcome.ok) void outcome.value.lost?.then(() => forget(copy, loading))
    })
    return loading
  }

  function forget(copy: Copy, loading: Loading): void {
    if (copy.loading !== loading) return
    copy.loading = null
    copy.isLoaded = false
  }

  async function unload(): Promise<void> {
    clearTimeout(idleTimer)
    await Promise.all(
      copies.map(async (copy) => {
        const { loading } = copy
        copy.loading = null
        copy.isLoaded = false
        const outcome = await loading
        if (outcome?.ok) await outcome.value.unload()
      }),
    )
  }

  function rest(): void {
    if (idleUnloadSeconds === null || copies.some(({ workCount }) => workCount > 0)) return
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => void unload(), idleUnloadSeconds * 1000).unref()
  }

  return {
    async use(work) {
      clearTimeout(idleTimer)
      const copy = copies.reduce((least, other) => (other.workCount < least.workCount ? other : least))
      copy.workCount += 1
      try {
        const wasLoaded = copy.isLoaded
        return await work(await loaded(copy), wasLoaded)
      } finally {
        copy.workCount -= 1
        rest()
      }
    },
    async load() {
      const outcomes = await Promise.all(copies.map(loaded))
      rest()
      return outcomes.find((outcome) => !outcome.ok) ?? { ok: true, value: undefined }
    },
    isLoaded: () => copies.some((copy) => copy.isLoaded),
    unload,
  }
}
