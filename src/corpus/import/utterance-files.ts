import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fingerprint } from '#prelude'
import { parseLanguage } from '#prelude/languages'
import { checkRow } from '../manifest/check-row.ts'
import { manifestLine } from '../manifest/manifest-row.ts'
import { shiftedBy } from '../utterance.ts'
import type { CutUtterance } from './cut-recording.ts'
import type { ImportedRow } from './import-state.ts'
import type { SourceRecording } from './source.ts'

/** Gives every utterance a unique id and a separate file, whatever the ids of the source are. */
export interface NameRegister {
  /** How many ids were in use already. */
  renamedCount: number
  /** Takes an id: `a`, or where that is taken `a-2`, `a-3`, … Ids that differ by case alone count as the same. */
  claim(wanted: string): { readonly id: string; readonly audio: string }
}

export function nameRegister(taken: Iterable<string>): NameRegister {
  const files = new Set([...taken].map((id) => fileFor(id).toLowerCase()))
  /** Of an id that repeats, all lower numbers are taken: a source may name each of its recordings alike. */
  const nextNumbers = new Map<string, number>()
  return {
    renamedCount: 0,
    claim(wanted) {
      // Ids are listed with commas behind --exclude, and shown on terminals.
      const base = wanted.replace(/[\p{Cc},]/gu, '_').trim() || 'utterance'
      let id = base
      let number = nextNumbers.get(base) ?? 2
      for (; files.has(fileFor(id).toLowerCase()); number += 1) id = `${base}-${number}`
      nextNumbers.set(base, number)
      if (id !== base) this.renamedCount += 1
      const audio = fileFor(id)
      files.add(audio.toLowerCase())
      return { id, audio }
    },
  }
}

/** File systems take 255 bytes; the rest is for what distinguishes a name that is cut, and for `.wav`. */
const maxNameBytes = 200

/** A path below the folder of the corpus, on every file system, whatever the id holds. */
function fileFor(id: string): string {
  const steps = id.split('/').map((step) => {
    const name = step.replace(/[^\p{L}\p{N}._ +=@~-]/gu, '_').replace(/^\.+|[. ]+$/g, '_') || '_'
    const { read } = new TextEncoder().encodeInto(name, new Uint8Array(maxNameBytes))
    return read === name.length ? name : `${name.slice(0, read)}-${fingerprint(step).slice(0, 8)}`
  })
  return `audio/${steps.join('/')}.wav`
}

/** The id that the source means: that of the segment, or the recording's with the number of the segment. */
export function sourceId(recording: SourceRecording, { cut, index }: CutUtterance): string {
  if (cut.id !== null) return cut.id
  const isWhole = cut.startSeconds === 0 && cut.endSeconds === Infinity
  return isWhole ? recording.id : `${recording.id}-${String(index).padStart(4, '0')}`
}

/** The line of an utterance, checked by the rules of manifests. */
export function makeRow(
  { cut, wav, durationSeconds }: CutUtterance,
  name: { readonly id: string; readonly audio: string },
  language: string | null,
): { readonly row: ImportedRow; readonly problems: readonly string[] } {
  const spoken = cut.language ?? language
  const parsed = spoken === null ? null : parseLanguage(spoken)
  const seconds = Math.round(durationSeconds * 1e6) / 1e6
  const line = manifestLine({
    ...name,
    text: cut.text.trim(),
    alternatives: [],
    hasChoices: cut.hasChoices ?? false,
    isDraft: cut.isDraft ?? false,
    durationSeconds: seconds,
    sha256: createHash('sha256').update(wav).digest('hex'),
    language: parsed?.ok === true ? parsed.value : spoken,
    speaker: cut.speaker?.trim() === '' ? null : cut.speaker,
    tags: cut.tags,
    keywords: [],
    entities: [],
    times: (cut.times ?? []).map((part) => shiftedBy(part, -cut.startSeconds)),
    source: cut.source ?? null,
    derived: null,
  })
  const row = { ...line, durationSeconds: seconds }
  const { problems } = checkRow({ line: 1, fields: { ...row }, mayLackId: false }, row.id, '/')
  return { row, problems }
}

/** @throws file system errors */
export async function writeUtterance(output: string, { audio }: ImportedRow, wav: Uint8Array): Promise<void> {
  const path = join(output, audio)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, wav)
}
