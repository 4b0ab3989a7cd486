/**
 * What people write for a language, as a BCP 47 tag. Never touches files, sockets, the clock or the locale of the host.
 *
 *   parseLanguage('en_US')      // { ok: true, value: 'en-US' }
 *   parseLanguage('German')     // { ok: true, value: 'de' }
 *   parseLanguage('Englsh')     // { ok: false, failure: { what: 'is not a known language', hint: 'did you mean …' } }
 */
export { languageErrors } from './errors.ts'
export type { LanguageProblem } from './parse-language.ts'
export { languageCode, parseLanguage, readLanguage } from './parse-language.ts'
