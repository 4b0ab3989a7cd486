import {
  isListed,
  type ModePreset,
  modePresets,
  type PostProcessRequest,
  postProcessRequest,
} from '#contract'
import { type Outcome, succeeded } from '#prelude'
import { readFields, readJsonObject } from '../http/body.ts'
import type { Call, Handler } from '../http/call.ts'
import { type Refusal, refused } from '../http/refusal.ts'
import { findMode } from '../modes/mode-endpoints.ts'
import type { ModeStore, StoredMode } from '../modes/mode-store.ts'
import type { Profile } from '../profiles.ts'
import type { PostProcessor } from './post-processor.ts'

export interface PostProcessInput {
  readonly profile: Profile
  readonly modes: ModeStore
  readonly postProcessor: PostProcessor
}

/** `POST /post-process`: a text through a language model. A provider that fails leaves the text as it was. */
export function postProcessEndpoint(input: PostProcessInput): Handler<'postProcess'> {
  return async (call) => {
    const request = await readRequest(call, input.profile)
    if (!request.ok) return request
    const { mode_id, preset, prompt } = request.value
    const mode: Outcome<StoredMode | null, Refusal> =
      mode_id === undefined ? succeeded(null) : findMode(input.modes, mode_id)
    if (!mode.ok) return mode
    const isAsked = [preset, prompt, request.value.provider, request.value.model].some(
      (value) => value !== undefined,
    )
    if (mode.value !== null && mode.value.postProcessingMode === 0 && !isAsked) {
      return refused('INVALID_REQUEST', 'Post-processing is off in this Mode.', 'Send a preset or a prompt.')
    }
    const wanted = presetOf(request.value, mode.value)
    const outcome = await input.postProcessor.process(
      { ...request.value, mode: mode.value, preset: wanted },
      call.signal,
    )
    if (!outcome.ok) {
      const { provider, known } = outcome.failure
      const message = `There is no provider named "${provider}".`
      return refused('ENGINE_UNAVAILABLE', message, `Providers here: ${known.join(', ')}.`)
    }
    const { text, provider, model, isProcessed } = outcome.value
    return succeeded({
      ok: true,
      text,
      // Typed clients read strings: where nothing was chosen, an empty one.
      provider: provider ?? '',
      model: model ?? '',
      preset: wanted,
      latency_ms: Math.round(performance.now() - call.arrivedAtMs),
      post_processed: isProcessed,
    })
  }
}

/** A prompt is a custom preset. */
function presetOf({ preset, prompt }: PostProcessRequest, mode: StoredMode | null): ModePreset {
  if (isListed(modePresets, preset)) return preset
  return prompt === undefined && mode !== null ? mode.preset : 'custom'
}

async function readRequest(call: Call, profile: Profile): Promise<Outcome<PostProcessRequest, Refusal>> {
  const body = await readJsonObject(call, profile, 'elsewhere')
  if (!body.ok) return body
  const request = readFields(body.value, postProcessRequest)
  if (!request.ok) return request
  const { preset, prompt } = request.value
  if (preset !== undefined && !isListed(modePresets, preset)) {
    return refused('INVALID_REQUEST', `preset is one of ${modePresets.join(', ')}.`)
  }
  if (prompt !== undefined && prompt.trim() === '') return refused('INVALID_REQUEST', 'prompt is blank.')
  return request
}
