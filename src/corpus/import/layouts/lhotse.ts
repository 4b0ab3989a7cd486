import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SourceRecording, SourceSegment } from '../source.ts'
import { type JsonRow, readJsonRows, secondsField, textField } from './json-rows.ts'
import type { Layout, Tree } from './layout.ts'

/** Manifests of Lhotse: `*recordings*.jsonl.gz` and `*supervisions*.jsonl.gz`, gzipped or not. */
export const lhotse: Layout = {
  name: 'lhotse',
  title: 'Lhotse manifests',
  mark: 'recordings.jsonl.gz and supervisions.jsonl.gz',
  licence: null,
  language: null,
  matches: async (path) => (await pairsIn(path)).length > 0,

  async read(tree) {
    const pairs = await pairsIn(tree.root)
    const recordings: SourceRecording[] = []
    for (const pair of pairs) for (const recording of await readPair(pair, tree)) recordings.push(recording)
    return recordings
  },
}

interface Pair {
  readonly recordings: string
  readonly supervisions: string
}

/** `ami_recordings_dev.jsonl.gz` belongs to `ami_supervisions_dev.jsonl.gz`. */
async function pairsIn(folder: string): Promise<readonly Pair[]> {
  const names = (await readdir(folder).catch(() => [])).sort()
  return names
    .filter((name) => /recordings.*\.jsonl(?:\.gz)?$/.test(name))
    .map((name) => ({ recordings: name, supervisions: name.replace('recordings', 'supervisions') }))
    .filter(({ supervisions }) => names.includes(supervisions))
}

async function readPair(pair: Pair, tree: Tree): Promise<readonly SourceRecording[]> {
  const rows = new Map<string, JsonRow>()
  for (const row of await readJsonRows(tree, join(tree.root, pair.recordings))) {
    const id = textField(row, 'id', tree)
    if (id !== null) rows.set(id, row)
  }
  const groups = new Map<string, { id: string; channel: number | null; segments: SourceSegment[] }>()
  for (const row of await readJsonRows(tree, join(tree.root, pair.supervisions))) {
    const segment = readSupervision(row, tree)
    if (segment === null) continue
    const { recordingId, channel } = segment
    const recording = rows.get(recordingId)
    if (recording === undefined) {
      tree.report({ where: row.where, what: `the recording ${recordingId} is not in ${pair.recordings}` })
      continue
    }
    const key = `${recordingId} ${channel}`
    const group = groups.get(key) ?? { id: recordingId, channel, segments: [] }
    groups.set(key, group)
    group.segments.push(segment.said)
  }
  const opened = [...groups.values()].map((group) =>
    openRecording(group, rows.get(group.id) as JsonRow, tree),
  )
  return (await Promise.all(opened)).filter((recording) => recording !== null)
}

function readSupervision(
  row: JsonRow,
  tree: Tree,
): { readonly recordingId: string; readonly channel: number | null; readonly said: SourceSegment } | null {
  const id = textField(row, 'id', tree)
  const recordingId = textField(row, 'recording_id', tree)
  const text = textField(row, 'text', tree)
  const [start, duration] = [secondsField(row, 'start'), secondsField(row, 'duration')]
  if (start === null || duration === null || duration === 0) {
    tree.report({ where: row.where, what: 'has no "start" and "duration" in seconds' })
    return null
  }
  if (id === null || recordingId === null || text === null) return null
  const { channel } = row.fields
  const first: unknown = Array.isArray(channel) ? channel[0] : channel
  return {
    recordingId,
    channel: typeof first === 'number' ? first : null,
    said: {
      id,
      text,
      startSeconds: start,
      // Lhotse rounds to 8 digits; the sum of two such numbers is rounded again.
      endSeconds: Math.round((start + duration) * 1e8) / 1e8,
      speaker: textField(row, 'speaker', null),
      language: textField(row, 'language', null),
      tags: [],
    },
  }
}

async function openRecording(
  { id, channel, segments }: { id: string; channel: number | null; segments: readonly SourceSegment[] },
  row: JsonRow,
  tree: Tree,
): Promise<SourceRecording | null> {
  const sources = Array.isArray(row.fields['sources']) ? (row.fields['sources'] as readonly unknown[]) : []
  // A recording of several files has some channels in each of them.
  const source = sources.find(
    (each): each is LhotseSource =>
      typeof each === 'object' &&
      each !== null &&
      (channel === null || sources.length === 1 || ((each as LhotseSource).channels ?? []).includes(channel)),
  )
  if (source?.type !== 'file' || typeof source.source !== 'string') {
    const kind = source?.type ?? 'nothing'
    tree.report({
      where: row.where,
      what: `the audio of ${id} is ${kind}, and only files are read`,
      hint: 'write the audio to files and list them with "type": "file"',
    })
    return null
  }
  const read = await tree.audio(source.source, tree.root, row.where)
  const index = (source.channels?.length ?? 1) > 1 ? (source.channels ?? []).indexOf(channel ?? 0) : null
  return read && { id, where: row.where, channel: index, cutAt: 'given', segments, read }
}

interface LhotseSource {
  readonly type?: string
  readonly source?: unknown
  readonly channels?: readonly number[]
}
