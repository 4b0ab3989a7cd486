import { type Outcome, succeeded } from '#prelude'
import { type IncomingBody, isMultipart, noMultipart, takeJson } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import type { Refusal } from '../http/refusal.ts'
import type { Profile } from '../profiles.ts'
import { readMultipart } from './multipart-body.ts'
import type { TranscriptionBody } from './transcription-body.ts'

/** Reads JSON or, where the profile takes it, multipart. The audio is decoded as it comes, and never kept twice. */
export async function readTranscriptionBody(
  call: Call,
  profile: Profile,
  body: IncomingBody,
): Promise<Outcome<TranscriptionBody, Refusal>> {
  const { headers } = call.request
  const announcedBytes = Number(headers['content-length'] ?? 0)
  if (isMultipart(call.request)) {
    return profile.takesMultipart ? readMultipart(call, profile, body, announcedBytes) : noMultipart
  }
  const json = await takeJson(call, profile, body, announcedBytes)
  return json.ok ? succeeded({ fields: json.value.json, audio: json.value.audio }) : json
}
