/**
 * One character of a script that is written without spaces between words. Kana and Han by script extension, so that the
 * long-vowel mark and the iteration mark stay with their run.
 */
export const unspacedCharacter =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]'
