import type { AudioInput } from '#client'
import { limits, type ModelEntry } from '#contract'
import type { VerifiedUtterance } from '#corpus'
import type { BenchError, Problem } from '#prelude'
import { runErrors } from './errors.ts'

/** The part of a contender that says which model it needs; null where a named Mode decides. */
export interface NeededModel {
  readonly id: string
  readonly model: string | null
}

/** Why a contender cannot run on a target. */
export type Unreadiness = 'notListed' | 'notInstalled'

/** Why a contender cannot run on this target, or null. */
export function unreadiness({ model }: NeededModel, models: readonly ModelEntry[]): Unreadiness | null {
  if (model === null) return null
  const entry = models.find((candidate) => candidate.id === model)
  if (entry === undefined) return 'notListed'
  return entry.installed ? null : 'notInstalled'
}

/** The same in words. */
export const unreadyReasons: Readonly<Record<Unreadiness, string>> = {
  notListed: 'the target does not list this model',
  notInstalled: 'the target has not installed this model',
}

/**
 * @param contenders those that are not ready, with the reason
 * @param models what the target has
 */
export function modelMissing(
  contenders: readonly (NeededModel & { readonly reason: Unreadiness })[],
  models: readonly ModelEntry[],
  target: { readonly description: string; readonly isEmbedded: boolean; readonly readyCount: number },
): BenchError {
  const installed = models
    .filter((entry) => entry.kind !== 'text' && entry.installed)
    .map((entry) => entry.id)
  const problems: Problem[] = contenders.map(({ id, model, reason }) => ({
    where: id,
    what: `${model}: ${unreadyReasons[reason]}`,
  }))
  const installable = contenders.filter(({ reason }) => reason === 'notInstalled').map(({ model }) => model)
  const hints = [
    ...(installable.length === 0 ? [] : [installHint(installable.join(' '), target.isEmbedded)]),
    ...(installable.length === contenders.length ? [] : ['see which models there are: asrbench doctor']),
    ...(target.readyCount === 0 ? [] : [`measure the other ${target.readyCount} with --skip-unready`]),
  ]
  const names = contenders.map(({ model }) => model).join(', ')
  return runErrors.make('TARGET_MODEL_MISSING', {
    message: `${names} cannot be measured on ${target.description}; installed there: ${installed.join(', ') || 'nothing'}`,
    hint: hints.join('; or '),
    problems,
  })
}

function installHint(models: string, isEmbedded: boolean): string {
  return isEmbedded
    ? `asrbench models install ${models}`
    : `install ${models} in the application's library, or with asrbench models install where it is our service`
}

/** How an utterance travels, by the transport that the config asks for; `auto` is settled before. */
export function audioInputOf(utterance: VerifiedUtterance, transport: 'path' | 'base64'): AudioInput {
  const { audioPath: path, sizeBytes, mimeType } = utterance
  return transport === 'path' ? { transport, path } : { transport, path, sizeBytes, mimeType }
}

/** Reports every utterance that the transport cannot carry, before anything is sent. */
export function checkSizes(utterances: readonly VerifiedUtterance[], transport: 'path' | 'base64'): void {
  // Base64 makes four characters of three bytes, and the rest of the JSON takes some of the room.
  const jsonRoom = 4096
  const largest =
    transport === 'path' ? limits.audioBytes : Math.floor((limits.requestBytes - jsonRoom) * 0.75)
  const tooLarge = utterances.filter((utterance) => utterance.sizeBytes > largest)
  if (tooLarge.length === 0) return
  throw runErrors.make('AUDIO_TOO_LARGE', {
    message: `${tooLarge.length} of ${utterances.length} utterances are larger than a request by ${transport} may carry (${largest} bytes)`,
    hint:
      transport === 'base64'
        ? 'send them by path where the target may read the files: --transport path; or leave them out with --exclude'
        : 'cut them into shorter recordings, or leave them out with --exclude',
    problems: tooLarge.map(({ id, sizeBytes }) => ({ where: id, what: `${sizeBytes} bytes` })),
  })
}
