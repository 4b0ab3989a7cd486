import { foreign, labelled, pad, paint, paragraph, type Terminal, widthOf } from '../layout/terminal.ts'

/** Something that can be explained: an error, a finding, a metric, a profile. */
export interface ExplanationText {
  readonly name: string
  readonly aliases: readonly string[]
  readonly kind: string
  /** Paragraphs, each with a label or none. */
  readonly parts: readonly { readonly label: string | null; readonly text: string }[]
}

/** One explanation in full. */
export function renderExplanation(
  { name, aliases, kind, parts }: ExplanationText,
  terminal: Terminal,
): string {
  const others = aliases.length === 0 ? '' : `, also ${aliases.join(', ')}`
  const labelWidth = Math.max(0, ...parts.map(({ label }) => (label === null ? 0 : widthOf(label))))
  const blocks = parts.map(({ label, text }) =>
    label === null
      ? `${paragraph(foreign(text), '  ', terminal)}\n`
      : labelled(foreign(label), foreign(text), labelWidth, terminal),
  )
  return [`${paint(name, 'strong', terminal)}  (${inWords(kind)}${others})`, '', ...blocks]
    .join('\n')
    .trimEnd()
}

/** The names of everything that can be explained, by kind, in columns. */
export function renderExplanationList(known: readonly ExplanationText[], terminal: Terminal): string {
  const byKind = Map.groupBy(known, ({ kind }) => kind)
  const blocks = [...byKind].map(([kind, those]) =>
    [
      paint(pluralOf(inWords(kind)), 'strong', terminal),
      ...inColumns(
        those.map(({ name }) => name),
        terminal,
      ),
    ].join('\n'),
  )
  return [...blocks, 'One of them in full: transcribench explain <name>'].join('\n\n')
}

function inWords(kind: string): string {
  return kind.replaceAll('-', ' ')
}

function pluralOf(words: string): string {
  return words.endsWith('sis') ? words.replace(/sis$/, 'ses') : `${words}s`
}

function inColumns(names: readonly string[], terminal: Terminal): readonly string[] {
  const width = Math.max(1, ...names.map(widthOf)) + 2
  const perLine = Math.max(1, Math.floor((terminal.width - 2) / width))
  const lines: string[] = []
  for (let first = 0; first < names.length; first += perLine) {
    const part = names.slice(first, first + perLine)
    lines.push(`  ${part.map((name) => pad(name, width)).join('')}`.trimEnd())
  }
  return lines
}

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
