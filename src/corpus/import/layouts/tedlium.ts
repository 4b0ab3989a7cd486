import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { audioEndings } from '#audio/format'
import type { ChannelChoice } from '#audio/sound-stream'
import { parseStm } from '#scoring/formats/timed'
import { makeSegment, type SourceRecording } from '../source.ts'
import { cutEnding, type Layout, type Tree } from './layout.ts'

/**
 * Segment tables (stm) of talks with their audio: in the folders `stm/` and `sph/` (or `wav/`), as in
 * TED-LIUM, or next to each other.
 */
export const tedlium: Layout = {
  name: 'tedlium',
  title: 'TED-LIUM tree, or stm next to its audio',
  mark: 'the folders stm and sph, or .stm files next to audio files',
  usualLanguage: 'en',
  async matches(path) {
    const { tables, sounds } = await findTalks(path)
    return tables.length > 0 && sounds.names.some((name) => audioEndings.test(name))
  },

  async read(tree) {
    const { tables, sounds } = await findTalks(tree.root)
    const recordings: SourceRecording[] = []
    for (const path of tables) recordings.push(...(await readTalk(path, sounds, tree)))
    return recordings
  },
}

interface Sounds {
  readonly folder: string
  readonly names: readonly string[]
}

/** @param root a folder, or one table */
async function findTalks(
  root: string,
): Promise<{ readonly tables: readonly string[]; readonly sounds: Sounds }> {
  const isTable = /\.stm$/i.test(root)
  const top = isTable ? dirname(root) : root
  const folders = await Promise.all(['sph', 'wav', 'flac'].map((name) => soundsIn(join(top, name))))
  const sounds = folders.find(({ names }) => names.length > 0)
  const inFolder = sounds === undefined ? { folder: top, names: [] } : await soundsIn(join(top, 'stm'))
  const found = inFolder.names.length > 0 ? inFolder : await soundsIn(top)
  const tables = found.names.filter((name) => /\.stm$/i.test(name)).map((name) => join(found.folder, name))
  return { tables: isTable ? [root] : tables, sounds: found === inFolder && sounds ? sounds : found }
}

async function soundsIn(folder: string): Promise<Sounds> {
  return { folder, names: (await readdir(folder).catch(() => [])).sort() }
}

async function readTalk(path: string, sounds: Sounds, tree: Tree): Promise<readonly SourceRecording[]> {
  const lines = await tree.lines(path)
  const { segments, problems } = parseStm(lines.map(({ text }) => text).join('\n'))
  for (const problem of problems) tree.report({ ...problem, where: `${tree.shown(path)}:${problem.where}` })
  const recordings: SourceRecording[] = []
  const files = Map.groupBy(segments, (segment) => segment.file)
  for (const [file, ofFile] of files) {
    for (const [channel, ofChannel] of Map.groupBy(ofFile, (segment) => segment.channel)) {
      const where = `${tree.shown(path)}:${ofChannel[0]?.line}`
      // If the table has a single recording, the audio file may also have the name of the table.
      const stems = [file, ...(files.size === 1 ? [cutEnding(path)] : [])]
      const sound = sounds.names.find((name) => audioEndings.test(name) && stems.includes(cutEnding(name)))
      const ending = sounds.folder === dirname(path) ? 'wav' : basename(sounds.folder)
      const read = await tree.audio(join(sounds.folder, sound ?? `${file}.${ending}`), tree.root, where)
      if (read === null) continue
      const isOnly = ofFile.length === ofChannel.length
      const id = isOnly ? cutEnding(file) : `${cutEnding(file)}-${channel}`
      const segments = ofChannel.map(({ text, parts, startSeconds, endSeconds, speaker, labels: tags }) => {
        const hasChoices = parts?.some(({ kind }) => kind !== 'words') === true
        return makeSegment({ text, hasChoices, startSeconds, endSeconds, speaker, tags })
      })
      recordings.push({
        id,
        where,
        channel: isOnly ? onlyChannel(channel) : channelIndex(channel),
        segments,
        read,
      })
    }
  }
  return recordings
}

/**
 * TED-LIUM numbers its only channel 1, and telephone calls have the channels A and B. The recording may hold that
 * channel alone. Any other single name is no channel, and the recording is cut from the mean of all.
 */
function onlyChannel(channel: string): ChannelChoice {
  return /^[12AB]$/i.test(channel) ? { unlessMono: channelIndex(channel) } : null
}

function channelIndex(channel: string): number {
  return /^\d+$/.test(channel) ? Number(channel) - 1 : channel.toUpperCase().charCodeAt(0) - 65
}
