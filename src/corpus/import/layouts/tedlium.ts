import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { asksToBeIgnored, parseStm, type Segment } from '#scoring'
import type { SourceRecording, SourceSegment } from '../source.ts'
import { exists, type Layout, stemOf, type Tree } from './layout.ts'

/** Folders of one segment table per talk (`stm/`) and its sound (`sph/`, or `wav/`): TED-LIUM. */
export const tedlium: Layout = {
  name: 'tedlium',
  title: 'TED-LIUM tree',
  mark: 'the folders stm and sph',
  usualLanguage: 'en',
  matches: async (path) => (await exists(path, 'stm')) && (await soundFolder(path)) !== null,

  async read(tree) {
    const sounds = (await soundFolder(tree.root)) ?? 'sph'
    const names = (await readdir(join(tree.root, 'stm'))).filter((name) => name.endsWith('.stm')).sort()
    const recordings: SourceRecording[] = []
    for (const name of names) recordings.push(...(await readTalk(name, sounds, tree)))
    return recordings
  },
}

async function soundFolder(root: string): Promise<string | null> {
  for (const name of ['sph', 'wav', 'flac']) if (await exists(root, name)) return name
  return null
}

async function readTalk(name: string, sounds: string, tree: Tree): Promise<readonly SourceRecording[]> {
  const path = join(tree.root, 'stm', name)
  const lines = await tree.lines(path)
  const { segments, problems } = parseStm(lines.map(({ text }) => text).join('\n'))
  for (const problem of problems) tree.report({ ...problem, where: `${tree.shown(path)}:${problem.where}` })
  const recordings: SourceRecording[] = []
  for (const [file, ofFile] of Map.groupBy(segments, (segment) => segment.file)) {
    for (const [channel, ofChannel] of Map.groupBy(ofFile, (segment) => segment.channel)) {
      const where = `${tree.shown(path)}:${ofChannel[0]?.line}`
      const read = await tree.audio(join(tree.root, sounds, `${file}.${sounds}`), tree.root, where)
      if (read === null) continue
      // TED-LIUM numbers its only channel 1; telephone calls have A and B.
      const index = ofFile.length === ofChannel.length ? null : channelIndex(channel)
      const id = index === null ? stemOf(file) : `${stemOf(file)}-${channel}`
      const said = ofChannel.filter(({ text }) => !asksToBeIgnored(text))
      recordings.push({ id, where, channel: index, cutAt: 'given', segments: said.map(segmentOf), read })
    }
  }
  return recordings
}

function channelIndex(channel: string): number {
  return /^\d+$/.test(channel) ? Number(channel) - 1 : channel.toUpperCase().charCodeAt(0) - 65
}

function segmentOf({ text, parts, startSeconds, endSeconds, speaker, labels }: Segment): SourceSegment {
  const hasChoices = parts?.some(({ kind }) => kind !== 'words') === true
  return { id: null, text, hasChoices, startSeconds, endSeconds, speaker, language: null, tags: labels }
}
