import { z } from 'zod'
import { activeLevel } from '#audio'
import { defineTransformation, onEachSound, type Transformation } from '../transformation.ts'

const parameters = z.strictObject({
  'cut-start': z.coerce
    .number()
    .min(0)
    .max(60)
    .default(0)
    .describe('seconds of speech lost at the beginning'),
  'cut-end': z.coerce.number().min(0).max(60).default(0).describe('seconds of speech lost at the end'),
})

/** At least so much is left of a recording. */
const leastSeconds = 0.1

/** Loses speech where a recorder starts late or stops early. The reference keeps all words: the lost ones are deletions. */
export const cut: Transformation = defineTransformation({
  name: 'cut',
  summary: 'lose speech at the beginning or the end; the reference keeps all words',
  parameters,
  ladders: [
    { parameter: 'cut-start', unit: 's', harder: 'higher' },
    { parameter: 'cut-end', unit: 's', harder: 'higher' },
  ],
  problems: (chosen) =>
    chosen['cut-start'] + chosen['cut-end'] === 0 ? ['cut needs cut-start or cut-end, in seconds'] : [],
  // Where the speech begins is only known of the sound, so the times of the parent are not those of what is left.
  apply: (drafts, chosen, context) =>
    loseSpeech(drafts, chosen, context).map((draft) => ({ ...draft, times: [] })),
})

const loseSpeech = onEachSound<z.infer<typeof parameters>>(({ samples, sampleRateHz }, chosen) => {
  const speech = activeLevel(samples, sampleRateHz)
  if (speech === null) return { samples, sampleRateHz }
  const lost = (seconds: number): number => Math.round(seconds * sampleRateHz)
  const from = chosen['cut-start'] === 0 ? 0 : speech.from + lost(chosen['cut-start'])
  const to = chosen['cut-end'] === 0 ? samples.length : speech.to - lost(chosen['cut-end'])
  const least = Math.min(samples.length, lost(leastSeconds))
  const start = Math.max(0, Math.min(from, samples.length - least))
  return { samples: samples.slice(start, Math.max(start + least, to)), sampleRateHz }
})
