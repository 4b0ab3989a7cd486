import { fetchCorpus } from '#corpus'
import { transferLine } from '../progress/transfer-line.ts'
import type { World } from '../world.ts'

/** Fetches what a corpus lacks, and says what it does. */
export async function fetchMissingAudio(world: World, name: string): Promise<void> {
  const line = transferLine(world)
  const { fetchedCount, corpus } = await fetchCorpus(name, {
    env: world.env,
    onProgress: (progress) => {
      if (progress.kind === 'downloading') {
        line.show(`fetching ${progress.source}`, progress.receivedBytes, progress.totalBytes)
      }
    },
  })
  line.done()
  world.say(
    fetchedCount === 0
      ? `corpus ${corpus.name} is there already`
      : `corpus ${corpus.name}: ${fetchedCount} recordings fetched, checked and stored next to ${corpus.manifestPath}`,
  )
}
