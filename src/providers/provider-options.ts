import type { ProviderOption } from './options.ts'

/** An option of a list, whose page is that of the list. */
type Listed = Omit<ProviderOption, 'source'>

function documented(source: string, options: readonly Listed[]): readonly ProviderOption[] {
  return options.map((option) => ({ ...option, source }))
}

const isSwitch = { kind: 'switch' } as const
const isText = { kind: 'text' } as const
const isTexts = { kind: 'texts' } as const

const temperature = (max: number, standard: number | null): Listed => ({
  name: 'temperature',
  takes: { kind: 'number', min: 0, max },
  default: standard,
  meaning: 'randomness of the answer; 0 is the most certain one',
})

const prompt: Listed = {
  name: 'prompt',
  takes: isText,
  default: null,
  meaning: 'text that guides style and spelling, in the language of the audio',
}

export const openaiOptions: readonly ProviderOption[] = documented(
  'https://platform.openai.com/docs/api-reference/audio/createTranscription',
  [
    prompt,
    temperature(1, 0),
    {
      name: 'keywords',
      takes: isTexts,
      default: null,
      refusedBy: /^(whisper|gpt-4o)/,
      meaning: 'words and phrases to listen for; gpt-transcribe',
    },
    {
      name: 'languages',
      takes: isTexts,
      default: null,
      refusedBy: /^(whisper|gpt-4o)/,
      meaning: 'languages that the audio may have, as ISO 639-1; gpt-transcribe',
    },
    {
      name: 'chunking_strategy',
      takes: { kind: 'choice', of: ['auto'] },
      default: null,
      meaning: 'cut at pauses that the server finds; without it the audio is one block',
    },
  ],
)

export const groqOptions: readonly ProviderOption[] = documented(
  'https://groq.com/GroqDocs/Groq%20ASR%20Model%20Guide.pdf',
  [prompt, temperature(1, 0)],
)

export const mistralOptions: readonly ProviderOption[] = documented(
  'https://docs.mistral.ai/capabilities/audio_transcription/offline_transcription',
  [
    temperature(1, null),
    {
      name: 'context_bias',
      takes: isTexts,
      default: null,
      refusedBy: /^voxtral-mini-2507$/,
      meaning: 'words and phrases to listen for, up to 100',
    },
    {
      name: 'diarize',
      takes: isSwitch,
      default: false,
      refusedBy: /^voxtral-mini-2507$/,
      meaning: 'a speaker for each segment; the text stays as it is',
    },
  ],
)

export const fireworksOptions: readonly ProviderOption[] = documented(
  'https://docs.fireworks.ai/api-reference/audio-transcriptions',
  [
    prompt,
    temperature(1, 0),
    {
      name: 'vad_model',
      takes: { kind: 'choice', of: ['silero', 'whisperx-pyannet'] },
      default: 'silero',
      meaning: 'what finds the speech in the audio',
    },
    {
      name: 'preprocessing',
      takes: { kind: 'choice', of: ['none', 'dynamic', 'soft_dynamic', 'bass_dynamic'] },
      default: null,
      meaning: 'how loudness is evened out before',
    },
  ],
)

export const deepgramOptions: readonly ProviderOption[] = documented(
  'https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded',
  [
    {
      name: 'punctuate',
      takes: isSwitch,
      default: false,
      sent: true,
      meaning: 'punctuation and capital letters',
    },
    {
      name: 'smart_format',
      takes: isSwitch,
      default: false,
      meaning: 'numbers, dates, addresses and the like as they are usually written',
    },
    { name: 'numerals', takes: isSwitch, default: false, meaning: 'numbers in figures' },
    { name: 'measurements', takes: isSwitch, default: false, meaning: 'units as abbreviations' },
    { name: 'dictation', takes: isSwitch, default: false, meaning: 'spoken punctuation as signs' },
    { name: 'filler_words', takes: isSwitch, default: false, meaning: 'keep "uh" and "um"' },
    { name: 'profanity_filter', takes: isSwitch, default: false, meaning: 'replace or drop profanity' },
    {
      name: 'diarize',
      takes: isSwitch,
      default: false,
      isBilledExtra: true,
      meaning: 'the older name of diarize_model',
    },
    {
      name: 'diarize_model',
      takes: { kind: 'choice', of: ['latest', 'v1', 'v2'] },
      default: null,
      isBilledExtra: true,
      meaning: 'a speaker for each word; the text stays as it is, and an answer may take longer',
    },
    {
      name: 'keyterm',
      takes: isTexts,
      default: null,
      refusedBy: /^(nova-2|nova$|nova-(general|phonecall|medical)|enhanced|base|whisper)/,
      isBilledExtra: true,
      meaning: 'terms to listen for; nova-3 alone',
    },
    {
      name: 'keywords',
      takes: isTexts,
      default: null,
      refusedBy: /^nova-3/,
      meaning: 'words to listen for; nova-2 and older',
    },
  ],
)

export const elevenlabsOptions: readonly ProviderOption[] = documented(
  'https://elevenlabs.io/docs/api-reference/speech-to-text/convert',
  [
    {
      name: 'tag_audio_events',
      takes: isSwitch,
      default: true,
      sent: false,
      meaning: 'write sounds such as (laughter) into the text',
    },
    {
      name: 'no_verbatim',
      takes: isSwitch,
      default: false,
      refusedBy: /^scribe_v1/,
      meaning: 'drop filler words and false starts; scribe_v2',
    },
    temperature(2, null),
    {
      name: 'seed',
      takes: { kind: 'number', min: 0, max: 2_147_483_647, isWhole: true },
      default: null,
      meaning: 'the same seed gives the same answer as far as possible',
    },
    {
      name: 'keyterms',
      takes: isTexts,
      default: null,
      isBilledExtra: true,
      meaning: 'terms to listen for',
    },
    {
      name: 'diarize',
      takes: isSwitch,
      default: false,
      meaning: 'a speaker for each word; the text stays as it is',
    },
  ],
)

export const googleOptions: readonly ProviderOption[] = documented(
  'https://cloud.google.com/speech-to-text/docs/reference/rest/v1/RecognitionConfig',
  [
    {
      name: 'enableAutomaticPunctuation',
      takes: isSwitch,
      default: false,
      sent: true,
      meaning: 'punctuation',
    },
    { name: 'profanityFilter', takes: isSwitch, default: false, meaning: 'profanity as f***' },
    {
      name: 'enableSpokenPunctuation',
      takes: isSwitch,
      default: false,
      meaning: 'spoken punctuation as signs; true by default for command_and_search',
    },
    { name: 'enableSpokenEmojis', takes: isSwitch, default: false, meaning: 'spoken emojis as signs' },
  ],
)

export const assemblyaiOptions: readonly ProviderOption[] = documented(
  'https://www.assemblyai.com/docs/openapi.json',
  [
    { name: 'punctuate', takes: isSwitch, default: true, meaning: 'punctuation' },
    {
      name: 'format_text',
      takes: isSwitch,
      default: true,
      meaning: 'capital letters, and numbers in figures',
    },
    { name: 'disfluencies', takes: isSwitch, default: false, meaning: 'keep "uh" and "um"' },
    { name: 'filter_profanity', takes: isSwitch, default: false, meaning: 'hide profanity' },
    {
      ...prompt,
      refusedBy: /^universal-2/,
      isBilledExtra: true,
      meaning: 'text that guides the model; universal-3-pro and newer',
    },
    {
      name: 'keyterms_prompt',
      takes: isTexts,
      default: null,
      isBilledExtra: true,
      meaning: 'terms to listen for',
    },
    {
      name: 'speaker_labels',
      takes: isSwitch,
      default: false,
      isBilledExtra: true,
      meaning: 'a speaker for each word; the text stays as it is',
    },
  ],
)

export const speechmaticsOptions: readonly ProviderOption[] = documented(
  'https://docs.speechmatics.com/api-ref/batch/create-a-new-job',
  [
    { name: 'domain', takes: isText, default: null, meaning: 'field of the speech, such as medical' },
    { name: 'output_locale', takes: isText, default: null, meaning: 'spelling of the text, such as en-GB' },
    {
      name: 'additional_vocab',
      takes: isTexts,
      default: null,
      refusedBy: /^melia-1$/,
      meaning: 'terms to listen for',
    },
    {
      name: 'enable_entities',
      takes: isSwitch,
      default: null,
      refusedBy: /^melia-1$/,
      meaning: 'recognise dates, amounts and the like',
    },
    {
      name: 'punctuation_overrides.permitted_marks',
      takes: { kind: 'texts', each: { pattern: /^(.|all)$/u, words: 'one mark or "all"' } },
      default: null,
      meaning: 'the only marks that are written, such as [".", "?"]',
    },
    {
      name: 'transcript_filtering_config.remove_disfluencies',
      takes: isSwitch,
      default: false,
      meaning: 'drop "uh" and "um"',
    },
    {
      name: 'diarization',
      takes: { kind: 'choice', of: ['none', 'speaker', 'channel'] },
      default: 'none',
      meaning: 'a speaker for each word; the text stays as it is',
    },
  ],
)

export const gladiaOptions: readonly ProviderOption[] = documented(
  'https://docs.gladia.io/api-reference/v2/pre-recorded/init',
  [
    {
      name: 'custom_vocabulary_config.vocabulary',
      takes: isTexts,
      default: null,
      meaning: 'terms to listen for',
    },
    { name: 'punctuation_enhanced', takes: isSwitch, default: false, meaning: 'better punctuation' },
    {
      name: 'diarization',
      takes: isSwitch,
      default: false,
      meaning: 'a speaker for each utterance; the text stays as it is',
    },
  ],
)

export const azureOptions: readonly ProviderOption[] = documented(
  'https://learn.microsoft.com/en-us/azure/ai-services/speech-service/batch-transcription-create',
  [
    {
      name: 'punctuationMode',
      takes: { kind: 'choice', of: ['None', 'Dictated', 'Automatic', 'DictatedAndAutomatic'] },
      default: 'DictatedAndAutomatic',
      meaning: 'punctuation: none, spoken, found by the model, or both',
    },
    {
      name: 'profanityFilterMode',
      takes: { kind: 'choice', of: ['None', 'Masked', 'Removed', 'Tags'] },
      default: 'Masked',
      meaning: 'what happens to profanity',
    },
  ],
)

export const azureFastOptions: readonly ProviderOption[] = documented(
  'https://learn.microsoft.com/en-us/azure/ai-services/speech-service/fast-transcription-create',
  [
    {
      name: 'profanityFilterMode',
      takes: { kind: 'choice', of: ['None', 'Masked', 'Removed', 'Tags'] },
      default: 'Masked',
      meaning: 'what happens to profanity',
    },
    { name: 'phraseList.phrases', takes: isTexts, default: null, meaning: 'phrases to listen for' },
    {
      name: 'phraseList.biasingWeight',
      takes: { kind: 'number', min: 0, max: 2 },
      default: null,
      meaning: 'how much the phrases count',
    },
    {
      name: 'diarization.maxSpeakers',
      takes: { kind: 'number', min: 2, max: 35, isWhole: true },
      default: null,
      meaning: 'a speaker for each phrase, of this many at most; the text stays as it is',
    },
  ],
)

export const awsOptions: readonly ProviderOption[] = documented(
  'https://docs.aws.amazon.com/transcribe/latest/APIReference/API_Settings.html',
  [
    {
      name: 'Settings.VocabularyName',
      takes: isText,
      default: null,
      meaning: 'custom vocabulary of the account',
    },
    {
      name: 'Settings.VocabularyFilterName',
      takes: isText,
      default: null,
      meaning: 'vocabulary filter of the account',
    },
    {
      name: 'Settings.VocabularyFilterMethod',
      takes: { kind: 'choice', of: ['remove', 'mask', 'tag'] },
      default: null,
      meaning: 'what happens to the words of the filter',
    },
  ],
)
