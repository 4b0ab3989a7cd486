import { z } from 'zod'
import { resample } from '#audio/resampling'
import { isUnspacedLanguage } from '#scoring/tokens'
import { shiftedBy } from '../utterance.ts'
import {
  type Draft,
  defineTransformation,
  type Reference,
  type Sound,
  type Transformation,
} from './transformation.ts'

const parameters = z.strictObject({
  seconds: z.coerce.number().min(1).max(36_000).default(60).describe('length to join to, in s'),
  pause: z.coerce.number().min(0).max(600).default(0.5).describe('silence between utterances, in s'),
})
type Parameters = z.infer<typeof parameters>

/** Joins utterances of one language in manifest order up to the length, at least one each. None is omitted. */
export const join: Transformation = defineTransformation({
  name: 'join',
  summary: 'join utterances to recordings of a length, with pauses',
  parameters,
  ladders: [{ parameter: 'seconds', unit: 's', harder: 'higher' }],
  apply: (drafts, chosen) => {
    const languages = Map.groupBy(drafts, ({ language }) => language)
    return [...languages.values()].flatMap((languageDrafts) =>
      groups(languageDrafts, chosen).map((group) => joined(group, chosen)),
    )
  },
})

type Group = readonly [Draft, ...Draft[]]

function groups(drafts: readonly Draft[], { seconds, pause }: Parameters): readonly Group[] {
  const grouped: [Draft, ...Draft[]][] = []
  let length = 0
  for (const draft of drafts) {
    const group = grouped.at(-1)
    if (group === undefined || length + pause + draft.durationSeconds > seconds) {
      grouped.push([draft])
      length = draft.durationSeconds
    } else {
      group.push(draft)
      length += pause + draft.durationSeconds
    }
  }
  return grouped
}

function joined(group: Group, { pause }: Parameters): Draft {
  const [first, ...others] = group
  const same = (value: (draft: Draft) => string | null): string | null =>
    others.every((draft) => value(draft) === value(first)) ? value(first) : null
  const reference = joinReferences(group, first.language)
  return {
    ...reference,
    parents: group.flatMap(({ parents }) => parents),
    durationSeconds: group.reduce((sum, draft) => sum + draft.durationSeconds, pause * others.length),
    language: first.language,
    speaker: same(({ speaker }) => speaker),
    source: same(({ source }) => source),
    tags: first.tags.filter((tag) => others.every(({ tags }) => tags.includes(tag))),
    entities: group.flatMap(({ entities }) => entities),
    times: joinTimes(group, pause),
    keywords: [...new Set(group.flatMap(({ keywords }) => keywords))],
    sound: async () => await joinSounds(group, pause),
  }
}

/** Joins the times; empty if a part with text has none, because incomplete times would be misleading. */
function joinTimes(group: Group, pause: number): Draft['times'] {
  if (group.some(({ times, text }) => times.length === 0 && text !== '')) return []
  let offset = 0
  return group.flatMap(({ times, durationSeconds }) => {
    const shifted = times.map((part) => shiftedBy(part, offset))
    offset += durationSeconds + pause
    return shifted
  })
}

async function joinSounds(group: Group, pause: number): Promise<Sound> {
  const sounds: Sound[] = []
  for (const draft of group) sounds.push(await draft.sound())
  const sampleRateHz = Math.max(...sounds.map((sound) => sound.sampleRateHz))
  const silence = Math.round(pause * sampleRateHz)
  const parts: Float32Array[] = []
  for (const sound of sounds) {
    parts.push(await resample({ samples: sound.samples, sampleRateHz: sound.sampleRateHz }, sampleRateHz))
  }
  const length = parts.reduce((sum, part) => sum + part.length, silence * (parts.length - 1))
  const samples = new Float32Array(length)
  let position = 0
  for (const part of parts) {
    samples.set(part, position)
    position += part.length + silence
  }
  return { samples, sampleRateHz }
}

/** Joins the references of consecutive utterances. If one has alternatives, the result is a text with choices. */
function joinReferences(references: readonly Reference[], language: string | null): Reference {
  const spoken = references.filter(({ text }) => text !== '')
  const blank = language !== null && isUnspacedLanguage(language) ? '' : ' '
  if (spoken.every(({ alternatives, hasChoices }) => alternatives.length === 0 && !hasChoices)) {
    return { text: spoken.map(({ text }) => text).join(blank), alternatives: [], hasChoices: false }
  }
  // Choices need spaces around their marks, even in languages without spaces.
  return { text: spoken.map(withChoices).join(' '), alternatives: [], hasChoices: true }
}

function withChoices({ text, alternatives, hasChoices }: Reference): string {
  const texts = [text, ...alternatives].map((each) => (hasChoices ? each : escaped(each)))
  return texts.length === 1 ? (texts[0] as string) : `{ ${texts.map((each) => each || '@').join(' / ')} }`
}

/** Escapes characters that the notation of choices uses. */
function escaped(text: string): string {
  return text.replace(/[{}/@()\\]/gu, '\\$&')
}
