import { defineErrors, type ErrorTable } from '#prelude'

export const languageErrors: ErrorTable<'LANGUAGE_UNKNOWN'> = defineErrors({
  LANGUAGE_UNKNOWN: {
    exit: 'badInput',
    meaning:
      'The language decides by which rules texts are compared, so a language that is not known is refused. Written are a ' +
      'BCP 47 tag (en, en-US, zh-Hant-TW; with an underscore too), a code of ISO 639-1 or ISO 639-3 (eng, deu, yue), or ' +
      'an English name (English, Brazilian Portuguese, English (India)).',
  },
})
