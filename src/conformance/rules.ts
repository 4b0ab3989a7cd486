/**
 * The rules of the Local Transcription API that a client can see kept or broken, in our own words. The first
 * part of an id names the subject.
 */

/** What the interface specification says. */
const specifiedRules = {
  'service.loopback': 'The server listens on 127.0.0.1 and on no other address.',
  'service.field-case': 'Names of JSON fields are case-sensitive.',

  'authentication.health-open': 'GET /health is answered without a token.',
  'authentication.required':
    'On every other endpoint a missing or invalid bearer token is answered HTTP 401, with an error envelope.',
  'authentication.token-format': 'The token is 32 random bytes in base64url: 43 characters.',

  'guard.first':
    'Host and Origin are checked on every route, /health included, before token, route and body are looked at.',

  'errors.malformed-json':
    'A body that is not JSON is answered HTTP 400 with INVALID_REQUEST and "Invalid JSON body".',
  'errors.business': 'Every other refusal is HTTP 200 with ok: false and an envelope of code and message.',
  'errors.closed-set': 'The codes are a closed set of fourteen.',
  'errors.no-payload-too-large': 'The code PAYLOAD_TOO_LARGE does not exist.',

  'head.long-line': 'macOS answers a head with a line over 8 KiB with a bare 431, and closes the connection.',
  'head.long-head': 'macOS answers a head of over 64 KiB in all with a bare 431, and closes the connection.',
  'head.accepted': 'macOS takes a head of 64 KiB whose lines are of 8 KiB at most.',
  'head.elsewhere': 'Other platforms do not answer 431 to a line over 8 KiB, nor to a head over 64 KiB.',

  'health.shape':
    'The health snapshot holds ok, app_version, api_version, port, pid and the three inventories, each of its type.',
  'health.port': 'The port of the health snapshot is the one that answers.',
  'health.providers': 'A provider has id, key_present, reachable and a status from the list.',
  'health.local-models':
    'local_models has six inventories, each a list of id, displayName and installed. The names of the six are the server’s own.',

  'models.shape': 'GET /models lists entries with every field of its type.',

  'modes.shape': 'GET /modes lists Modes with every field of its type.',
  'modes.get': 'GET /modes/{id} answers the Mode that the list shows.',
  'modes.name-required': 'A Mode is not created without a name.',
  'modes.name-empty': 'A name of which nothing is left after normalisation is refused.',
  'modes.name-trimmed': 'White space at the ends of a name is trimmed.',
  'modes.name-unicode': 'macOS normalises the Unicode of a name.',
  'modes.name-invisible': 'macOS trims invisible characters at the ends of a name.',
  'modes.name-visible': 'macOS refuses a name without a visible base character.',
  'modes.name-unique':
    'A name that another Mode has, without regard to case and after normalisation, is refused with MODE_NAME_TAKEN.',
  'modes.preset': 'preset takes its seven values; another is refused with INVALID_REQUEST.',
  'modes.spelling': 'englishSpelling takes its four values; another is refused with INVALID_REQUEST.',
  'modes.post-processing-mode':
    'postProcessingMode takes 0, 1 and 2; another value is refused with INVALID_REQUEST.',
  'modes.sort-order': 'macOS takes a sortOrder from -32768 to 32767 and refuses others.',
  'modes.read-only': 'id, isSystemProvided, createdDate and modifiedDate in a body are ignored.',
  'modes.patch-partial': 'A PATCH changes the fields that it names and no others.',
  'modes.modified-date': 'The server sets modifiedDate on every PATCH.',
  'modes.null-clears': 'On macOS and Linux a null in a PATCH clears each of the eleven fields.',
  'modes.null-omitted': 'On Windows a null in a PATCH is as if the field were left out.',
  'modes.windows-fields-ignored':
    'macOS ignores the five Windows-only fields in a body and leaves them out of its answers.',
  'modes.windows-fields': 'Windows keeps the five fields that only it has.',
  'modes.delete': 'DELETE answers ok alone, and the Mode is gone.',
  'modes.last': 'Deleting the last Mode is refused with INVALID_REQUEST.',

  'recordings.shape': 'A search answers ok, total, returned and recordings with every field.',
  'recordings.limit': 'limit is a whole number from 1 to 500; another is INVALID_REQUEST.',
  'recordings.query':
    'q is looked for in text, postProcessedText and transcribedText, without regard to case or diacritics.',
  'recordings.get': 'GET /recordings/{id} answers the recording that the search shows.',

  'recorder.elsewhere': 'macOS and Windows do not serve the recorder: 404 with an envelope.',
  'recorder.authentication': 'The recorder refuses a request without a token: HTTP 401.',
  'recorder.starts': 'A toggle when idle starts recording.',
  'recorder.cancel':
    'A cancel, of a recording or of its transcription, leads to idle, and no transcript is written.',
  'recorder.stops': 'A toggle when recording waits for the transcription, which becomes a recording.',
  'recorder.busy': 'A toggle during stopping or transcribing is refused with HTTP 400 and INVALID_REQUEST.',

  'transcription.file': 'An absolute path inside the folders that may be read is read.',
  'transcription.multipart': 'Linux takes audio as the multipart part named audio.',
  'transcription.no-multipart': 'macOS and Windows do not accept multipart requests.',

  'limits.transcribe':
    'A /transcribe body over the request limit is HTTP 200 with "Request exceeds the configured limit.", never the audio message.',
  'limits.envelope':
    'macOS and Windows answer an oversized body on the other routes with HTTP 200 and the same message.',
  'limits.bare-413': 'Linux answers an oversized body on the other routes with a bare 413.',
  'limits.legacy':
    'Older Windows builds answer a body over 30,000,000 bytes with HTTP 400 and "Invalid JSON body".',
  'limits.audio-file':
    'A file over 48 MiB is refused with "Audio exceeds the configured upload limit.", and one of 48 MiB is read.',
  'limits.audio-file-legacy': 'Older Windows builds have no audio limit.',
  'limits.audio-part': 'On Linux a multipart part over 48 MiB gets the audio message.',

  'discovery.file': 'local-api.json is a JSON object that carries the port and the token.',
  'discovery.private': 'Only its owner may read and write it: mode 600.',
} as const

/** What this project decided where the specification is silent. */
const decidedRules = {
  'service.unknown-route':
    'A route that does not exist is answered 404 with an error envelope, after authentication.',

  'guard.host':
    'A Host header other than 127.0.0.1:<port> or localhost:<port>, or none, is answered HTTP 403 with an envelope.',
  'guard.host-accepted': '127.0.0.1:<port> and localhost:<port> are accepted as Host.',
  'guard.origin':
    'An Origin header that is no loopback origin on the service’s port is answered HTTP 403 with an envelope.',
  'guard.origin-accepted': 'A loopback Origin on the service’s own port is accepted.',
  'guard.fetch-site':
    'A Sec-Fetch-Site header other than same-origin or none is answered HTTP 403 with an envelope.',

  'errors.repeated-key':
    'A JSON object that has a key twice is refused with INVALID_REQUEST: parsers disagree on which value counts.',

  'head.many-lines':
    'A head of 2,100 lines is answered like any other: after Host and Origin were checked, and with an envelope where it is refused.',

  'models.text':
    'Where POST /post-process edits a text, kind=text lists a model, and those of provider local are in local_llm as well.',
  'models.filter': 'kind=voice, text or all lists the models of that kind.',
  'models.unknown-kind': 'Another kind is refused with INVALID_REQUEST.',
  'models.installed-only':
    'installed_only=true, 1 or yes leaves out what is not installed; other values do not.',
  'models.cloud-installed': 'Models of cloud providers count as installed.',

  'modes.unknown-id': 'An id that no Mode has is refused with MODE_NOT_FOUND.',
  'modes.malformed-id': 'An id that is no UUID is refused with INVALID_REQUEST.',
  'modes.order': 'Modes are listed by sortOrder, then by createdDate.',
  'modes.one-default': 'Exactly one Mode is the default one.',
  'modes.default-moves': 'Making a Mode the default takes that from the one before.',
  'modes.name-white-space': 'Windows trims what Unicode calls white space, and nothing else.',
  'modes.sort-order-elsewhere': 'The other builds take a sortOrder of 32 bits.',
  'modes.create': 'POST /modes answers the new Mode, which is then found by its id.',
  'modes.create-defaults':
    'Where only the name is required, the defaults are preset hyper, language en, a local model, punctuation and capitalisation on, profanity filter off.',
  'modes.create-required':
    'macOS also requires preset, language, model, punctuation, capitalization and profanityFilter on create.',
  'modes.null-created': 'On create a null is as if the field were left out.',
  'modes.null-refused': 'On macOS and Linux a null in a PATCH is refused for a field that has none.',
  'modes.null-left-out': 'On Windows a null in a PATCH is as if left out for fields that have none as well.',
  'modes.text-limits':
    'A text or a vocabulary of a Mode that is too long (docs/openapi.json says what is) is refused with INVALID_REQUEST.',
  'modes.types': 'A value of another type than the field’s is refused with INVALID_REQUEST.',

  'recordings.default-limit': 'Without a limit at most 50 recordings are returned.',
  'recordings.counts': 'total counts every match, returned what this answer carries.',
  'recordings.newest-first': 'Recordings are listed newest first.',
  'recordings.since-until': 'since and until are ISO 8601 or epoch seconds, both inclusive.',
  'recordings.unknown-id': 'An id that no recording has is refused with MODE_NOT_FOUND.',
  'recordings.malformed-id': 'An id that is no UUID is refused with INVALID_REQUEST.',

  'recorder.no-microphone': 'Without a microphone a toggle is refused with ENGINE_UNAVAILABLE and a hint.',
  'recorder.completed': 'After a completed transcription the state is completed, and idle at the next call.',

  'transcription.answer':
    'A transcription answers text, engine, the model that was asked for, language, timings and latency_ms, its times in whole milliseconds.',
  'transcription.speech': 'A spoken sentence is answered with words.',
  'transcription.mode':
    'mode_id alone selects engine, model and language; engine, model and language in the request take precedence.',
  'transcription.timestamps':
    'segments and words come only where they are asked for, in seconds and in order.',
  'transcription.raw-text': 'raw_text comes only where raw_text: true asks for it.',
  'transcription.language':
    'A language that the model cannot do, or that is no BCP-47 tag, is refused: ok never comes with another language.',
  'transcription.one-audio': 'file and audio_base64 together, or neither, is INVALID_REQUEST.',
  'transcription.mode-or-engine': 'Neither a Mode nor an engine is INVALID_REQUEST.',
  'transcription.unknown-engine': 'An unknown engine is ENGINE_UNAVAILABLE.',
  'transcription.unknown-model': 'An unknown model is MODEL_NOT_FOUND.',
  'transcription.not-installed': 'A known model that is absent is MODEL_NOT_INSTALLED.',
  'transcription.unknown-mode':
    'A mode_id that no Mode has is MODE_NOT_FOUND, and one that is no UUID INVALID_REQUEST.',
  'transcription.missing-key':
    'A cloud engine without a key is MISSING_API_KEY; where its models are not listed, a model of it may be MODEL_NOT_FOUND.',
  'transcription.undecodable':
    'Bytes that no decoder takes, invalid base64 and audio without a sample are AUDIO_DECODE_FAILED.',
  'transcription.damaged-header':
    'A WAV file whose header contradicts its bytes (no channel, more samples than there are, blocks without their size) is AUDIO_DECODE_FAILED, never another text.',
  'transcription.hang-up':
    'A client that closes its connection during a transcription ends its own request only: the process stays, and the next request is answered.',
  'transcription.outside-macos':
    'macOS refuses a file outside the folders that may be read with FILE_ACCESS_DENIED.',
  'transcription.outside-elsewhere':
    'Windows and Linux refuse a file outside the folders that may be read with FILE_NOT_ALLOWED.',
  'transcription.outside-silent': 'The refusal of a file outside does not reveal whether the file exists.',
  'transcription.missing-file': 'A file inside that is not there is FILE_NOT_FOUND.',
  'transcription.symlink': 'A symbolic link inside that leads outside is refused as outside.',

  'post-processing.text': 'A missing or blank text is INVALID_REQUEST.',
  'post-processing.instruction':
    'None of mode_id, preset and prompt, or preset with prompt, is INVALID_REQUEST.',
  'post-processing.unknown-mode': 'A mode_id that no Mode has is MODE_NOT_FOUND.',
  'post-processing.mode-off': 'A Mode with post-processing off and no other instruction is INVALID_REQUEST.',
  'post-processing.answer':
    'The answer holds text, provider, model, preset, latency_ms and post_processed, none of them null; false comes with the text unchanged.',

  'limits.accepted': 'A /transcribe body of 50 MiB is read.',
  'limits.stalled-uploads':
    'While 24 uploads of 40 MiB are announced and do not arrive, another transcription is answered.',

  'discovery.fields': 'It also says pid, started_at, api_version and app_version.',
} as const

export type RuleId = keyof typeof specifiedRules | keyof typeof decidedRules

/** Headings for the first parts of the ids, in reading order. */
export const ruleSubjects = {
  service: 'Service',
  authentication: 'Authentication',
  guard: 'Host, Origin and Sec-Fetch-Site',
  errors: 'Errors',
  head: 'Request head',
  health: 'Health',
  models: 'Models',
  modes: 'Modes',
  recordings: 'Recordings',
  recorder: 'Recorder',
  transcription: 'Transcription',
  'post-processing': 'Post-processing',
  limits: 'Limits',
  discovery: 'Discovery file',
} as const
export type RuleSubject = keyof typeof ruleSubjects

/** One rule, as reports and pages show it. */
export interface Rule {
  readonly id: RuleId
  readonly subject: RuleSubject
  readonly origin: 'specification' | 'decision'
  readonly sentence: string
}

/** All rules, subject by subject. */
export const conformanceRules: readonly Rule[] = Object.keys(ruleSubjects).flatMap((subject) => [
  ...rulesOf(subject as RuleSubject, 'specification', specifiedRules),
  ...rulesOf(subject as RuleSubject, 'decision', decidedRules),
])

function rulesOf(
  subject: RuleSubject,
  origin: Rule['origin'],
  sentences: Readonly<Partial<Record<RuleId, string>>>,
): Rule[] {
  return Object.entries(sentences)
    .filter(([id]) => id.split('.')[0] === subject)
    .map(([id, sentence]) => ({ id: id as RuleId, subject, origin, sentence }))
}
