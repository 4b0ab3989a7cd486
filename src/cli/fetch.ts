import { access } from 'node:fs/promises'
import type { BenchConfig } from '#config/bench-config'
import { BenchError, counted, shellWord, succeeds } from '#prelude'
import type { InstallProgress } from '#service/models/install'
import { type CommandContext, listenForInterruption, typedCommand } from './command-context.ts'
import { transferLine } from './progress-lines.ts'

// Service and corpora are imported dynamically, so that a command only loads what it fetches.

/** Work of `run --fetch` before the run: fetches missing models of the built-in service and missing recordings. */
export async function fetchWhatIsMissing(context: CommandContext, config: BenchConfig): Promise<void> {
  const missing = await missingModels(config, context.env)
  if (missing.length > 0) {
    const { defaultModelsDir } = await import('#service/settings')
    await installMissingModels(context, missing, defaultModelsDir(context.env))
  }
  if (!(await isComplete(config, context.env))) await fetchMissingAudio(context, config.corpus)
}

/** Models of the built-in service that are not installed. */
async function missingModels(config: BenchConfig, env: CommandContext['env']): Promise<readonly string[]> {
  const modelIds = config.contenders.flatMap(({ target = config.target, model }) =>
    target === 'embedded' ? [model] : [],
  )
  if (modelIds.length === 0) return []
  const { defaultModelsDir } = await import('#service/settings')
  const { listModels } = await import('#service/models/known-models')
  const models = await listModels({ modelsDir: defaultModelsDir(env) })
  return models.filter((model) => modelIds.includes(model.id) && !model.installed).map((model) => model.id)
}

/**
 * Runs a measurement. If recordings or models are missing, the error lists them all, with the command that fetches
 * them and continues.
 */
export async function orAdviseToFetch<Value>(
  { env }: CommandContext,
  config: BenchConfig,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    const typed = typedCommand()
    const isFetchable =
      error instanceof BenchError && ['CORPUS_NOT_FETCHED', 'TARGET_MODEL_MISSING'].includes(error.code)
    if (!isFetchable || typed.includes('--fetch')) throw error
    const models = await missingModels(config, env)
    const { code, exit, message, hint, problems } = error
    const isCorpus = code === 'CORPUS_NOT_FETCHED'
    // A model that the built-in service does not know cannot be fetched.
    if (!isCorpus && (models.length === 0 || problems.length > models.length)) throw error
    throw new BenchError(code, exit, {
      message: isCorpus && models.length > 0 ? 'recordings and models of this run are not here yet' : message,
      hint: [
        `fetch what is missing first: ${[...typed, '--fetch'].map(shellWord).join(' ')}`,
        ...(isCorpus ? [] : hint.split('; or ').slice(1)),
      ].join('; or '),
      problems: [
        ...(isCorpus && problems.length === 0 && models.length > 0
          ? [{ where: 'corpus', what: message }]
          : problems),
        ...(isCorpus ? models.map((model) => ({ where: model, what: 'the model is not installed' })) : []),
      ],
      cause: error,
    })
  }
}

/** Whether all recordings are there; a corpus without a download needs no more than that. */
async function isComplete({ corpus, workload }: BenchConfig, env: CommandContext['env']): Promise<boolean> {
  return workload === 'post-process' || (await hasRecordings(corpus, env))
}

/** Whether a corpus can be read and all of its recordings are there. */
export async function hasRecordings(named: string, env: CommandContext['env']): Promise<boolean> {
  const { readCorpus } = await import('#corpus/read-corpus')
  const corpus = await readCorpus(named, { env }).catch(() => null)
  if (corpus === null) return false
  const present = await Promise.all(corpus.utterances.map(({ audioPath }) => succeeds(access(audioPath))))
  return present.every((isThere) => isThere)
}

/** Fetches the missing recordings of a corpus, with progress messages. */
export async function fetchMissingAudio(context: CommandContext, name: string): Promise<void> {
  const { fetchCorpus } = await import('#corpus/fetch-corpus')
  const line = transferLine(context)
  const { fetchedCount, corpus } = await fetchCorpus(name, {
    env: context.env,
    onProgress: (progress) => {
      if (progress.kind === 'downloading') {
        line.show(`fetching ${progress.source}`, progress.receivedBytes, progress.totalBytes)
      }
    },
  })
  line.done()
  context.say(
    fetchedCount === 0
      ? `corpus ${corpus.name} is there already`
      : `corpus ${corpus.name}: ${counted(fetchedCount, 'recording')} fetched, checked and stored next to ${corpus.manifestPath}`,
  )
}

/** Installs the missing models, with progress messages. */
export async function installMissingModels(
  context: CommandContext,
  ids: readonly string[],
  modelsDir: string,
): Promise<void> {
  const line = transferLine(context)
  const say = (text: string): void => {
    line.clear()
    context.say(text)
  }
  const onProgress = (progress: InstallProgress): void => {
    switch (progress.kind) {
      case 'downloading':
        line.show(`fetching ${progress.source}`, progress.receivedBytes, progress.totalBytes)
        break
      case 'unpacking':
        break
      case 'installed':
        say(`${progress.model} installed`)
        break
      case 'present':
        say(`${progress.model} is installed already`)
        break
    }
  }
  const { installModels } = await import('#service/models/install')
  using interruption = listenForInterruption(() => say('stopping; what was downloaded is kept'))
  await installModels(ids, {
    modelsDir,
    onProgress,
    signal: interruption.stop,
    environment: context.env,
  }).finally(line.done)
}
