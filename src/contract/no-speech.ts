import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { failureLabel, type RequestFailure } from './failures.ts'

/** Parser of a rule as a run keeps it. */
export const noSpeechRule = z
  .object({
    code: z
      .string()
      .describe("The server's code, or the status where it gives none: `TRANSCRIPTION_FAILED`, `HTTP_422`."),
    message: z
      .string()
      .optional()
      .describe('Words that the message holds, in any case; absent where the code is enough.'),
  })
  .meta({ id: 'NoSpeechRule', description: 'A refusal by which a server reports that it found no speech.' })
export type NoSpeechRule = DeepReadonly<z.infer<typeof noSpeechRule>>

/** How this API reports an empty transcript: `TRANSCRIPTION_FAILED: No speech detected in audio.` */
export const defaultNoSpeechRules: readonly NoSpeechRule[] = [
  { code: 'TRANSCRIPTION_FAILED', message: 'no speech' },
]

/**
 * Whether a failure means that the engine ran and found no speech. Only what a server answered can mean so:
 * a request that got no answer says nothing about its audio.
 *
 * @param rules any one of them is enough; with none, nothing means so
 */
export function meansNoSpeech(
  failure: RequestFailure,
  rules: readonly NoSpeechRule[] = defaultNoSpeechRules,
): boolean {
  if (failure.kind !== 'refused' && failure.kind !== 'malformed') return false
  const label = failureLabel(failure)
  const text = failure.kind === 'refused' ? failure.message : failure.excerpt
  return rules.some(
    ({ code, message }) => code === label && (message === undefined || holdsWords(text, message)),
  )
}

/** Whole words only: `no speech` is not in `casino speeches`. */
function holdsWords(text: string, words: string): boolean {
  const [there, sought] = [text.toLowerCase(), words.toLowerCase()]
  for (let at = there.indexOf(sought); at !== -1; at = there.indexOf(sought, at + 1)) {
    const isWhole =
      !/[\p{L}\p{N}_]$/u.test(there.slice(0, at)) && !/^[\p{L}\p{N}_]/u.test(there.slice(at + sought.length))
    if (isWhole) return true
  }
  return false
}
