import type { Problem } from '#prelude'
import type { ImportSource, SourceOptions } from '../source.ts'
import { openedPart } from '../source.ts'
import { ami } from './ami.ts'
import { folder } from './folder.ts'
import { kaldi } from './kaldi.ts'
import { type Layout, openTree, stemOf } from './layout.ts'
import { lhotse } from './lhotse.ts'
import { librispeech } from './librispeech.ts'
import { nemo } from './nemo.ts'
import { tedlium } from './tedlium.ts'

/** In the order in which a path is tried: what has the most particular mark first. */
export const layouts: readonly Layout[] = [kaldi, tedlium, ami, lhotse, nemo, librispeech, folder]

/** @returns null where a path has the mark of no layout */
export async function detectLayout(path: string): Promise<Layout | null> {
  for (const layout of layouts) if (await layout.matches(path)) return layout
  return null
}

/** A data set on disk as a source: one part, because nothing has to be fetched. */
export function sourceOnDisk(layout: Layout, root: string, options: SourceOptions): ImportSource {
  return {
    title: `${layout.title} ${root}`,
    name: stemOf(root),
    licence: layout.licence,
    parts: [
      {
        key: '.',
        async open() {
          const problems: Problem[] = []
          const tree = openTree(root, options, (problem) => problems.push(problem))
          return openedPart(await layout.read(tree), problems)
        },
      },
    ],
  }
}
