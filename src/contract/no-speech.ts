import { z } from 'zod'
import { failureLabel, type RequestFailure } from './failures.ts'

/** A refusal by which a server says that it heard no speech. */
export interface NoSpeechRule {
  /** The server's code, or the status where it gives none: `TRANSCRIPTION_FAILED`, `HTTP_422`. */
  readonly code: string
  /** Words that the message has to hold, in capitals or not; left out where the code says it all. */
  readonly message?: string | undefined
}

/** How this API reports an empty transcript: `TRANSCRIPTION_FAILED: No speech detected in audio.` */
export const defaultNoSpeechRules: readonly NoSpeechRule[] = [
  { code: 'TRANSCRIPTION_FAILED', message: 'no speech' },
]

/** Parser of a rule as a run keeps it. */
export const noSpeechRule: z.ZodType<NoSpeechRule> = z.object({
  code: z.string(),
  message: z.string().optional(),
})

/**
 * Whether a failure means that the engine listened and heard no speech. Only what a server answered can mean so:
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
  const told = failure.kind === 'refused' ? failure.message : failure.excerpt
  return rules.some(
    ({ code, message }) => code === label && (message === undefined || holdsWords(told, message)),
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
