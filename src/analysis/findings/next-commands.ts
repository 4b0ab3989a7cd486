import type { RunRecord } from '#journal'
import { shellWord } from '#prelude'

/** Asks the target of the run what it has. */
export function doctorCommand({ config, target }: RunRecord): string {
  const named = typeof config === 'object' && config !== null && 'target' in config ? config['target'] : null
  if (target.kind === 'embedded' || typeof named !== 'string') return 'transcribench doctor'
  return `transcribench doctor ${shellWord(named)}`
}

/** Sends what the run did not come to. */
export function resumeCommand({ resume, id }: RunRecord): string {
  return resume ?? `transcribench run --resume ${id}`
}
