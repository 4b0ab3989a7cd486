import { join } from 'node:path'
import { expect } from 'vitest'
import type { Utterance } from '#scoring/read-pair'
import { readPairs, type TranscriptSource } from '#transcripts/read-pairs'
import { caught, lines } from '../corpus/caught.ts'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'

type Files = Readonly<Record<string, string | Uint8Array>>
type Options = Omit<TranscriptSource, 'reference' | 'hypothesis'>

interface Read {
  /** Id, reference and hypothesis of every pair. */
  readonly pairs: readonly (readonly [string, Utterance['reference'], Utterance['hypothesis']])[]
  readonly notes: readonly string[]
}

/** Reads files of a folder that is there. */
export async function readIn(
  folder: TemporaryFolder,
  [reference, hypothesis]: readonly string[],
  options: Options = {},
): Promise<Read> {
  const path = (name: string): string => (name === '-' ? name : join(folder.path, name))
  const source = {
    ...options,
    reference: path(reference ?? ''),
    hypothesis: hypothesis === undefined ? null : path(hypothesis),
  }
  const notes: string[] = []
  const pairs: Read['pairs'][number][] = []
  for await (const block of readPairs(source, { onNote: (note) => void notes.push(note) })) {
    pairs.push(...block.map((pair) => [pair.id, pair.reference, pair.hypothesis] as const))
  }
  return { pairs, notes }
}

/** Writes files and pairs what `named` names: by default the first two of them. */
export async function read(files: Files, options: Options = {}, named = Object.keys(files)): Promise<Read> {
  await using folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) await folder.write(name, content)
  return await readIn(folder, named.slice(0, 2), options)
}

/** What every refusal says to do next, of a file alone and of two. */
export const hints = {
  one: 'one file alone holds objects {"id": "…", "reference": "…", "hypothesis": "…"}, one a line, or a table of such rows',
  two: 'correct what is listed and run the command again; how files are paired: transcribench explain TRANSCRIPTS_UNREADABLE',
} as const

/** The problems of files that cannot be read. */
export async function refused(
  files: Files,
  options: Options = {},
  named = Object.keys(files),
): Promise<readonly string[]> {
  const error = await caught(read(files, options, named))
  const hint = named.length === 1 ? hints.one : hints.two
  expect(error).toMatchObject({ code: 'TRANSCRIPTS_UNREADABLE', exit: 'badInput', hint })
  return lines(error)
}
