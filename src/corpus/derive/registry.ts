import type { LadderParameter, Transformation } from './transformation.ts'
import { clip } from './transformations/clip.ts'
import { cut } from './transformations/cut.ts'
import { farField } from './transformations/far-field.ts'
import { gsm } from './transformations/gsm.ts'
import { join } from './transformations/join.ts'
import { level } from './transformations/level.ts'
import { mp3 } from './transformations/mp3.ts'
import { mulaw } from './transformations/mulaw.ts'
import { noSpeech } from './transformations/no-speech.ts'
import { noise } from './transformations/noise.ts'
import { opus } from './transformations/opus.ts'
import { speed } from './transformations/speed.ts'

/** Every transformation, in the order of the help. */
export const transformations: readonly Transformation[] = [
  noise,
  farField,
  opus,
  mp3,
  mulaw,
  gsm,
  speed,
  level,
  clip,
  cut,
  join,
  noSpeech,
]

/** What a ladder can vary, with the transformation that it belongs to. */
export function ladderNamed(
  parameter: string,
): { readonly ladder: LadderParameter; readonly transformation: Transformation } | null {
  for (const transformation of transformations) {
    const ladder = transformation.ladders.find((each) => each.parameter === parameter)
    if (ladder !== undefined) return { ladder, transformation }
  }
  return null
}
