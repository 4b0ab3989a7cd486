import { readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { makeFolder, replaceFile } from '#installation/files'
import { corpusErrors, outputNotWritable } from './errors.ts'
import { claimOutput } from './files.ts'
import { manifestLine } from './manifest/manifest-row.ts'
import { drawSample } from './read-corpus.ts'
import type { VerifiedUtterance } from './utterance.ts'

export const balances = ['duration', 'speaker', 'tag'] as const
export type Balance = (typeof balances)[number]

export interface SelectOptions {
  readonly count: number
  readonly seed: number
  readonly balance: readonly Balance[]
}

/**
 * Selects utterances in equal numbers per speaker, per combination of tags, or both, as far as the groups
 * suffice. With the balance `duration`, each group is sampled by length, as in `drawSample`.
 *
 * @returns the selection in corpus order
 */
export function selectUtterances(
  utterances: readonly VerifiedUtterance[],
  { count, seed, balance }: SelectOptions,
): readonly VerifiedUtterance[] {
  const groups = [...Map.groupBy(utterances, (utterance) => groupKey(utterance, balance)).values()]
  const shares = equalShares(
    groups.map(({ length }) => length),
    count,
  )
  const size = ({ durationSeconds }: VerifiedUtterance): number =>
    balance.includes('duration') ? durationSeconds : 0
  const drawn = groups.flatMap((group, index) => {
    const share = shares[index] as number
    return share === 0 ? [] : drawSample(group, size, { count: share, seed: seed + index })
  })
  const ids = new Set(drawn.map(({ id }) => id))
  return utterances.filter(({ id }) => ids.has(id))
}

function groupKey({ speaker, tags }: VerifiedUtterance, balance: readonly Balance[]): string {
  return JSON.stringify([
    balance.includes('speaker') ? speaker : null,
    balance.includes('tag') ? tags.toSorted() : null,
  ])
}

/** Equal shares, limited by the groups' sizes; larger groups compensate for smaller ones. */
function equalShares(sizes: readonly number[], count: number): readonly number[] {
  const shares = sizes.map(() => 0)
  let remaining = Math.min(
    count,
    sizes.reduce((sum, size) => sum + size, 0),
  )
  while (remaining > 0) {
    const open = sizes.flatMap((size, index) => ((shares[index] as number) < size ? [index] : []))
    const sharePerGroup = Math.max(1, Math.floor(remaining / open.length))
    for (const index of open) {
      const added = Math.min(sharePerGroup, (sizes[index] as number) - (shares[index] as number), remaining)
      shares[index] = (shares[index] as number) + added
      remaining -= added
    }
  }
  return shares
}

/**
 * Writes the manifest of a selection, which refers to the existing recordings without copying them.
 *
 * @param folder absolute path; made if it does not exist
 * @returns the path of the manifest
 * @throws BenchError SELECTION_EXISTS where the folder has another manifest; CORPUS_NOT_WRITABLE
 */
export async function writeSelection(
  folder: string,
  utterances: readonly VerifiedUtterance[],
): Promise<string> {
  const path = join(folder, 'manifest.jsonl')
  const lines = utterances.map((utterance) => {
    const audio = relative(folder, utterance.audioPath).split(sep).join('/')
    return JSON.stringify(manifestLine({ ...utterance, audio }))
  })
  const text = `${lines.join('\n')}\n`
  try {
    await makeFolder(folder)
    await using _claim = await claimOutput(folder, `${path}.pid`, 'CORPUS_NOT_WRITABLE')
    const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (found === text) return path
    if (found !== null) {
      throw corpusErrors.make('SELECTION_EXISTS', {
        message: `${path} is there already, with other utterances`,
        hint: 'name another folder with --output',
      })
    }
    await replaceFile(path, (draft) => writeFile(draft, text))
    return path
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
    throw outputNotWritable('CORPUS_NOT_WRITABLE', path, error)
  }
}
