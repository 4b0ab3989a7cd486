import { type InstallProgress, installModels } from '#service'
import type { CommandContext } from '../command-context.ts'
import { listenForInterruption } from '../interruption.ts'
import { transferLine } from '../progress/transfer-line.ts'

/** Installs those of the models that are not there, and says what it does. */
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
  using interruption = listenForInterruption(() => say('stopping; what was downloaded is kept'))
  await installModels(ids, {
    modelsDir,
    onProgress,
    signal: interruption.stop,
    environment: context.env,
  }).finally(line.done)
}
