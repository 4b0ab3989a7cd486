import type { Evaluation } from './evaluation.ts'

/**
 * What a score is called in its files and on its page: `whisper-english.f3bea9bd`. Another profile, rules or corrected
 * references make another score of the same run.
 */
export function scoreName({ profile, scoring }: Pick<Evaluation, 'profile' | 'scoring'>): string {
  // A profile's id is made of the names of its rules, which are those of files.
  return `${profile.id.replaceAll(/[^\p{L}\p{N}+_-]+/gu, '-')}.${scoring.fingerprint.slice(0, 8)}`
}
