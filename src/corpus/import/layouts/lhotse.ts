import { basename, join } from 'node:path'
import { makeSegment, type SourceRecording, type SourceSegment } from '../source.ts'
import { asFields, type JsonRow, readJsonRows, secondsField, textField } from './json-rows.ts'
import { type Layout, namesAt, readHead, type Tree } from './layout.ts'

/** Lhotse manifests: recordings with supervisions, or cuts, which contain both; a folder of them, or a single one. */
export const lhotse: Layout = {
  name: 'lhotse',
  title: 'Lhotse manifests',
  mark: 'recordings.jsonl.gz and supervisions.jsonl.gz, or cuts.jsonl.gz',
  matches: async (path) => (await manifestsAt(path)).length > 0,

  async read(tree) {
    const groups = new Map<string, Group>()
    for (const manifest of await manifestsAt(tree.root)) {
      if ('cuts' in manifest) await readCuts(manifest.cuts, groups, tree)
      else await readPair(manifest, groups, tree)
    }
    const opened = await Promise.all([...groups.values()].map((group) => openRecording(group, tree)))
    return opened.filter((recording) => recording !== null)
  },
}

/** The segments of one channel of a recording. */
interface Group {
  readonly recording: JsonRow
  readonly channel: number | null
  readonly segments: SourceSegment[]
}

/** Paths of the manifest files. */
type Manifest = { readonly cuts: string } | { readonly recordings: string; readonly supervisions: string }

/** `ami_recordings_dev.jsonl.gz` pairs with `ami_supervisions_dev.jsonl.gz`; cuts next to them are redundant. */
async function manifestsAt(path: string): Promise<readonly Manifest[]> {
  const { folder, names, only } = await namesAt(path)
  const pairs = names
    .filter((name) => /recordings.*\.jsonl(?:\.gz)?$/.test(name))
    .map((name) => [name, name.replace('recordings', 'supervisions')] as const)
    .filter((pair) => names.includes(pair[1]) && (only === null || pair.includes(only[0])))
    .map((pair) => pair.map((name) => join(folder, name)) as [string, string])
  if (pairs.length > 0) return pairs.map(([recordings, supervisions]) => ({ recordings, supervisions }))
  const cuts: Manifest[] = []
  for (const name of only ?? names) {
    const isNamed = /\.jsonl(?:\.gz)?$/.test(name) && (only !== null || /cuts.*\.jsonl/.test(name))
    const file = join(folder, name)
    if (isNamed && /"supervisions"\s*:|"type"\s*:\s*"\w*Cut"/.test(await readHead(file)))
      cuts.push({ cuts: file })
  }
  return cuts
}

function addTo(groups: Map<string, Group>, recording: JsonRow, { channel, said }: Supervision): void {
  const key = `${String(recording.fields['id'])} ${channel}`
  const group = groups.get(key) ?? { recording, channel, segments: [] }
  groups.set(key, group)
  group.segments.push(said)
}

async function readPair(
  { recordings, supervisions }: Exclude<Manifest, { readonly cuts: string }>,
  groups: Map<string, Group>,
  tree: Tree,
): Promise<void> {
  const rows = new Map<string, JsonRow>()
  for (const row of await readJsonRows(tree, recordings)) {
    const id = textField(row, 'id', tree)
    if (id !== null) rows.set(id, row)
  }
  for (const row of await readJsonRows(tree, supervisions)) {
    const id = textField(row, 'recording_id', tree)
    const supervision = readSupervision(row, 0, tree)
    if (supervision === null || id === null) continue
    const recording = rows.get(id)
    if (recording === undefined) {
      tree.report({ where: row.where, what: `the recording ${id} is not in ${basename(recordings)}` })
    } else addTo(groups, recording, supervision)
  }
}

/** Tolerance in seconds by which a supervision may exceed its cut, because times are rounded. */
const roundingSeconds = 0.01

async function readCuts(path: string, groups: Map<string, Group>, tree: Tree): Promise<void> {
  for (const { where, fields } of await readJsonRows(tree, path)) {
    const recording = asFields(fields['recording'])
    const [start, duration] = [secondsField(fields, 'start'), secondsField(fields, 'duration')]
    const { type = 'MonoCut', supervisions } = fields
    if (type !== 'MonoCut' && type !== 'MultiCut') {
      const what = `is a ${typeof type === 'string' ? type : 'cut without a type'}, whose sound is in no file`
      tree.report({ where, what, hint: 'write the sound of the cuts to files: cuts.save_audios(<folder>)' })
    } else if (recording === null || start === null || duration === null || !Array.isArray(supervisions)) {
      tree.report({ where, what: 'has no "recording", "start", "duration" and "supervisions" of a cut' })
    } else {
      for (const entry of supervisions as readonly unknown[]) {
        const said = asFields(entry)
        const from = Number(said?.['start'])
        const isInside =
          from >= -roundingSeconds && from + Number(said?.['duration']) <= duration + roundingSeconds
        if (said === null || !isInside) {
          tree.report({ where, what: 'has a supervision that is not inside of the cut' })
          continue
        }
        const row = { where, fields: { ...said, start: Math.max(0, from) } }
        const supervision = readSupervision(row, start, tree)
        if (supervision !== null) addTo(groups, { where, fields: recording }, supervision)
      }
    }
  }
}

interface Supervision {
  readonly channel: number | null
  readonly said: SourceSegment
}

/** @param from offset of its times, in seconds */
function readSupervision(row: JsonRow, from: number, tree: Tree): Supervision | null {
  const { where, fields } = row
  const id = textField(row, 'id', tree)
  const text = textField(row, 'text', tree)
  const [start, duration] = [secondsField(fields, 'start'), secondsField(fields, 'duration')]
  if (start === null || duration === null || duration === 0) {
    tree.report({ where, what: 'has no "start" and "duration" in seconds' })
    return null
  }
  if (id === null || text === null) return null
  const { channel } = fields
  const first: unknown = Array.isArray(channel) ? channel[0] : channel
  return {
    channel: typeof first === 'number' ? first : null,
    said: makeSegment({
      id,
      where,
      text,
      startSeconds: rounded(from + start),
      endSeconds: rounded(from + start + duration),
      speaker: textField(row, 'speaker', null),
      language: textField(row, 'language', null),
    }),
  }
}

/** Rounds to 8 digits, as Lhotse does, because a sum of rounded numbers may have more. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e8) / 1e8
}

async function openRecording(
  { recording, channel, segments }: Group,
  tree: Tree,
): Promise<SourceRecording | null> {
  const { where, fields } = recording
  const id = String(fields['id'])
  const sources = Array.isArray(fields['sources']) ? fields['sources'].map(asFields) : []
  // Each file of a recording with several files has some of the channels.
  const source = sources.find(
    (each) =>
      channel === null || sources.length === 1 || (each !== null && listChannels(each).includes(channel)),
  )
  const { type = 'nothing', source: named } = source ?? {}
  const transform = findTransform(fields)
  if (type !== 'file' || typeof named !== 'string' || transform !== null) {
    const what =
      type !== 'file' || typeof named !== 'string'
        ? `${String(type)}, and only files are read`
        : `not its file but what ${transform} makes of it`
    const hint = 'write the audio to files: cuts.save_audios(<folder>)'
    tree.report({ where, what: `the audio of ${id} is ${what}`, hint })
    return null
  }
  const read = await tree.audio(named, tree.folder, where)
  const channels = listChannels(source ?? {})
  const index = channels.length > 1 ? channels.indexOf(channel ?? 0) : null
  return read && { id, where, channel: index, segments, read }
}

/** The first transform that changes the sound. `Resample` does not count, because recordings keep their own rate. */
function findTransform(fields: JsonRow['fields']): string | null {
  const { transforms } = fields
  const listed: readonly unknown[] = Array.isArray(transforms) ? transforms : []
  const names = listed.map((each) => String(asFields(each)?.['name'] ?? 'an unnamed transform'))
  return names.find((name) => name !== 'Resample') ?? null
}

function listChannels({ channels }: JsonRow['fields']): readonly unknown[] {
  return Array.isArray(channels) ? channels : []
}
