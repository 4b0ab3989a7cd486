import type { HeardUtterance } from '../heard-utterance.ts'

/** Utterances whose reference is written in another way than most are. */
export interface Minority<Style extends string> {
  readonly name: Style
  readonly members: readonly HeardUtterance[]
  readonly usual: { readonly name: Style; readonly count: number }
}

/** @param styleOf how a reference writes what can be written in several ways; null where it does not show */
export function minority<Style extends string>(
  heard: readonly HeardUtterance[],
  styleOf: (text: string) => Style | null,
): readonly Minority<Style>[] {
  const styled = heard.flatMap((each) => {
    const name = styleOf(each.utterance.text)
    return name === null ? [] : [{ name, each }]
  })
  const groups = Map.groupBy(styled, ({ name }) => name)
  const [usual, ...others] = [...groups].sort(([, left], [, right]) => right.length - left.length)
  if (usual === undefined) return []
  const [name, { length: count }] = usual
  return others.map(([other, members]) => ({
    name: other,
    members: members.map(({ each }) => each),
    usual: { name, count },
  }))
}
