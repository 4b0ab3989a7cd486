import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Problem, withoutUndefined } from '#prelude'
import type { ImportSource, SourceOptions } from '../source.ts'
import { openedPart } from '../source.ts'
import { ami } from './ami.ts'
import { folder } from './folder.ts'
import { kaldi } from './kaldi.ts'
import { cutEnding, type Layout, openTree } from './layout.ts'
import { lhotse } from './lhotse.ts'
import { librispeech } from './librispeech.ts'
import { nemo } from './nemo.ts'
import { table } from './table.ts'
import { tedlium } from './tedlium.ts'

/** Layouts in the order of detection: those with the most specific files first. */
export const layouts: readonly Layout[] = [kaldi, tedlium, ami, lhotse, nemo, librispeech, table, folder]

/** @returns null where no layout matches the path */
export async function detectLayout(path: string): Promise<Layout | null> {
  for (const layout of layouts) if (await layout.matches(path)) return layout
  return null
}

/** A data set on disk as a source with one part, because nothing is fetched. */
export async function sourceOnDisk(
  layout: Layout,
  root: string,
  cwd: string,
  options: SourceOptions,
): Promise<ImportSource> {
  const { usualLanguage } = layout
  return {
    title: `${layout.title} ${root}`,
    name: cutEnding(root),
    licence: await licenceIn(root),
    ...withoutUndefined({ usualLanguage }),
    parts: [
      {
        key: '.',
        async open() {
          const problems: Problem[] = []
          const tree = await openTree(root, cwd, options, (problem) => problems.push(problem))
          return openedPart(await layout.read(tree), problems)
        },
      },
    ],
  }
}

/** The Creative Commons licence that a LICENSE, COPYING or README of the folder links to; null where there is none. */
async function licenceIn(root: string): Promise<string | null> {
  const names = (await readdir(root).catch(() => [])).filter((name) => licenceNames.test(name)).sort()
  for (const name of names) {
    const text = await readFile(join(root, name), 'latin1').catch(() => '')
    const [, kind, version] =
      /creativecommons\.org\/(?:licenses|publicdomain)\/([a-z-]+)\/(\d\.\d)/i.exec(text) ?? []
    if (kind !== undefined) return `CC${kind === 'zero' ? '0' : `-${kind.toUpperCase()}`}-${version}`
  }
  return null
}

const licenceNames = /^(?:licen[cs]e|copying|readme)(?:\.(?:txt|md))?$/i
