import { fingerprint } from '#prelude'
import type { Derivation } from './derivation.ts'
import type { DeriveContext, Draft } from './draft.ts'
import type { Rung } from './plan.ts'

/** One line of the manifest in the making. */
export interface DerivedUtterance {
  readonly id: string
  /** Below the folder of the manifest. */
  readonly audio: string
  readonly draft: Draft
  readonly derivation: Derivation
}

/** Applies every rung; utterances of one parent follow each other. */
export function derivedUtterances(
  rungs: readonly Rung[],
  { context, seed }: { readonly context: DeriveContext; readonly seed: number },
): readonly DerivedUtterance[] {
  const columns = rungs.map(({ steps, ladder }) => ({
    suffix: suffixOf({ steps, ladder }),
    drafts: steps.reduce<readonly Draft[]>((drafts, step) => step.apply(drafts, context), context.utterances),
    derivation: { seed, ladder, steps: steps.map(({ name, parameters }) => ({ name, parameters })) },
  }))
  const longest = Math.max(...columns.map(({ drafts }) => drafts.length))
  const names = new Set<string>()
  return Array.from({ length: longest }, (_, row) =>
    columns.flatMap(({ suffix, drafts, derivation }) => {
      const draft = drafts[row]
      if (draft === undefined) return []
      const [first, ...others] = draft.parents
      const id = `${first}${others.length === 0 ? '' : `+${others.length}`}.${suffix}`
      return [
        {
          id,
          audio: `audio/${fileName(id, names)}.wav`,
          draft,
          derivation: { parents: draft.parents, ...derivation },
        },
      ]
    }),
  ).flat()
}

/** `snr10`, `snr-none`, or the names of the steps. */
function suffixOf({ steps, ladder }: Rung): string {
  if (ladder === null) return steps.map(({ name }) => name).join('.')
  return ladder.value === null ? `${ladder.parameter}-none` : `${ladder.parameter}${ladder.value}`
}

/** The id, as far as every file system takes it for a separate name. */
function fileName(id: string, names: Set<string>): string {
  const clean = id.replace(/[^\w.+-]/g, '_').slice(0, 120)
  const isOwn = clean === id && !id.startsWith('.') && !names.has(id.toLowerCase())
  const name = isOwn ? id : `${clean.replace(/^\./, '_')}-${fingerprint(id).slice(0, 8)}`
  names.add(name.toLowerCase())
  return name
}
