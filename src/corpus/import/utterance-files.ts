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

/** Assigns a unique id and file to every utterance, whatever ids the source has. */
export interface NameRegister {
  /** Number of ids that existed already. */
  renamedCount: number
  /** Claims an id: `a`, or `a-2`, `a-3`, … if it is taken. Ids that differ only in case count as equal. */
  claim(wanted: string): { readonly id: string; readonly audio: string }
}

export function nameRegister(takenIds: Iterable<string>): NameRegister {
  const files = new Set([...takenIds].map((id) => fileFor(id).toLowerCase()))
  /** Next number of a repeated id, so that a source with equal ids does not take quadratic time. */
  const nextNumbers = new Map<string, number>()
  return {
    renamedCount: 0,
    claim(wanted) {
      // Commas separate ids in --exclude, and control characters would affect terminals.
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

/** File systems allow 255 bytes per name; the rest is for the hash of a shortened name, and `.wav`. */
const maxNameBytes = 200

/** A path below the corpus folder that is valid on every file system, for any id. */
function fileFor(id: string): string {
  const steps = id.split('/').map((step) => {
    const name = step.replace(/[^\p{L}\p{N}._ +=@~-]/gu, '_').replace(/^\.+|[. ]+$/g, '_') || '_'
    const { read } = new TextEncoder().encodeInto(name, new Uint8Array(maxNameBytes))
    return read === name.length ? name : `${name.slice(0, read)}-${fingerprint(step).slice(0, 8)}`
  })
  return `audio/${steps.join('/')}.wav`
}

/** The id of the segment in the source, or the recording's id with the number of the segment. */
export function sourceId(recording: SourceRecording, { cut, index }: CutUtterance): string {
  if (cut.id !== null) return cut.id
  const isWhole = cut.startSeconds === 0 && cut.endSeconds === Infinity
  return isWhole ? recording.id : `${recording.id}-${String(index).padStart(4, '0')}`
}

/** The manifest line of an utterance, checked by the rules of manifests. */
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
