/** `punctuate=true, keyterm=Ada,Bob`: settings by their names; a list has its values between commas. Empty for none. */
export function settingsInWords(
  settings: Readonly<Record<string, boolean | number | string | readonly string[]>>,
): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ')
}
