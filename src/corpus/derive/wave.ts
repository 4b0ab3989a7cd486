import { z } from 'zod'
import { activeLevel, peakOf } from '#audio/active-level'
import { resample } from '#audio/resampling'
import { defineTransformation, gainFor, onEachSound, scaled, type Transformation } from './transformation.ts'

/** Sets the active speech level; samples beyond full scale are clipped, as by a converter. */
export const level: Transformation = defineTransformation({
  name: 'level',
  summary: 'set the level of the speech; written with 16 bits',
  parameters: z.strictObject({
    level: z.coerce
      .number()
      .min(-90)
      .max(0)
      .default(-40)
      .describe('active speech level in dBov (ITU-T P.56)'),
  }),
  ladders: [{ parameter: 'level', unit: 'dBov', harder: 'lower' }],
  apply: onEachSound((sound, chosen) => {
    const found = activeLevel(sound.samples, sound.sampleRateHz)
    return found === null ? sound : scaled(sound, gainFor(chosen.level - found.levelDbov))
  }),
})

export const clip: Transformation = defineTransformation({
  name: 'clip',
  summary: 'cut the peaks of the wave, as an overdriven microphone does',
  parameters: z.strictObject({
    clip: z.coerce.number().min(0).max(60).default(12).describe('dB below the peak at which the wave is cut'),
  }),
  ladders: [{ parameter: 'clip', unit: 'dB', harder: 'higher' }],
  apply: onEachSound(({ samples, sampleRateHz }, chosen) => {
    const limit = peakOf(samples) * gainFor(-chosen.clip)
    return { samples: samples.map((sample) => Math.max(-limit, Math.min(limit, sample))), sampleRateHz }
  }),
})

/** Changes the speed, including the pitch. @see Ko et al. 2015, doi:10.21437/Interspeech.2015-711 */
export const speed: Transformation = defineTransformation({
  name: 'speed',
  summary: 'play faster or slower, pitch included',
  parameters: z.strictObject({
    speed: z.coerce.number().min(0.25).max(4).default(1.1).describe('1.1 is 10% faster and higher; a ratio'),
  }),
  ladders: [{ parameter: 'speed', unit: '', harder: null }],
  apply: (drafts, chosen, context) =>
    changeSpeed(drafts, chosen, context).map((draft) => ({
      ...draft,
      durationSeconds: draft.durationSeconds / chosen.speed,
      times: draft.times.map(({ text, startSeconds, endSeconds }) => ({
        text,
        startSeconds: startSeconds / chosen.speed,
        endSeconds: endSeconds / chosen.speed,
      })),
    })),
})

const changeSpeed = onEachSound<{ readonly speed: number }>(async ({ samples, sampleRateHz }, chosen) => ({
  samples: await resample({ samples, sampleRateHz: Math.round(sampleRateHz * chosen.speed) }, sampleRateHz),
  sampleRateHz,
}))

/** Minimum length of a cut recording, in seconds. */
const minSeconds = 0.1

/** Cuts speech, as a recorder that starts late does. The reference is kept: lost words count as deletions. */
export const cut: Transformation = defineTransformation({
  name: 'cut',
  summary: 'lose speech at the beginning or the end; the reference keeps all words',
  parameters: z.strictObject({
    'cut-start': z.coerce
      .number()
      .min(0)
      .max(60)
      .default(0)
      .describe('seconds of speech lost at the beginning'),
    'cut-end': z.coerce.number().min(0).max(60).default(0).describe('seconds of speech lost at the end'),
  }),
  ladders: [
    { parameter: 'cut-start', unit: 's', harder: 'higher' },
    { parameter: 'cut-end', unit: 's', harder: 'higher' },
  ],
  problems: (chosen) =>
    chosen['cut-start'] + chosen['cut-end'] === 0 ? ['cut needs cut-start or cut-end, in seconds'] : [],
  // The cut depends on where speech begins in the sound, so the parent's times no longer apply.
  apply: (drafts, chosen, context) =>
    loseSpeech(drafts, chosen, context).map((draft) => ({ ...draft, times: [] })),
})

const loseSpeech = onEachSound<Readonly<Record<'cut-start' | 'cut-end', number>>>(
  ({ samples, sampleRateHz }, chosen) => {
    const speech = activeLevel(samples, sampleRateHz)
    if (speech === null) return { samples, sampleRateHz }
    const lost = (seconds: number): number => Math.round(seconds * sampleRateHz)
    const from = chosen['cut-start'] === 0 ? 0 : speech.from + lost(chosen['cut-start'])
    const to = chosen['cut-end'] === 0 ? samples.length : speech.to - lost(chosen['cut-end'])
    const least = Math.min(samples.length, lost(minSeconds))
    const start = Math.max(0, Math.min(from, samples.length - least))
    return { samples: samples.slice(start, Math.max(start + least, to)), sampleRateHz }
  },
)
