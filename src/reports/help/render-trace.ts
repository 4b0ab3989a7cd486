import { foreign, labelled, paint, paragraph, type Terminal, widthOf } from '../layout/terminal.ts'

/** A text on its way through a profile. */
export interface NormalisationTrace {
  readonly profile: { readonly id: string; readonly version: number; readonly fingerprint: string }
  readonly text: string
  readonly stages: readonly { readonly stage: string; readonly text: string }[]
  /** What is counted in the end. */
  readonly words: readonly string[]
}

/** The text after every stage; stages that change nothing are faint. */
export function renderTrace(
  { profile, text, stages, words }: NormalisationTrace,
  terminal: Terminal,
): string {
  const labelWidth = Math.max('as written'.length, ...stages.map(({ stage }) => widthOf(stage)))
  const line = (label: string, shown: string): string => labelled(label, quoted(shown), labelWidth, terminal)
  const lines = stages.map(({ stage, text: after }, index) => {
    const before = index === 0 ? text : (stages[index - 1]?.text ?? '')
    return after === before ? paint(line(stage, after), 'faint', terminal) : line(stage, after)
  })
  const counted = words.length === 0 ? 'no words' : words.map(quoted).join(' ')
  return [
    `${paint(profile.id, 'strong', terminal)}  version ${profile.version}, fingerprint ${profile.fingerprint.slice(0, 12)}`,
    '',
    line('as written', text),
    ...lines,
    '',
    paragraph(`${words.length} counted: ${counted}`, '  ', terminal),
  ].join('\n')
}

/** Spaces at the ends are part of what a stage leaves. */
function quoted(text: string): string {
  return `“${foreign(text)}”`
}
