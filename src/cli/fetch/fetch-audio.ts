import { fetchCorpus } from '#corpus/fetch'
import type { CommandContext } from '../command-context.ts'
import { transferLine } from '../progress/transfer-line.ts'

/** Fetches what a corpus lacks, and says what it does. */
export async function fetchMissingAudio(context: CommandContext, name: string): Promise<void> {
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
      : `corpus ${corpus.name}: ${fetchedCount === 1 ? '1 recording' : `${fetchedCount} recordings`} fetched, checked and stored next to ${corpus.manifestPath}`,
  )
}
