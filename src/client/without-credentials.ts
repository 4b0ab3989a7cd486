/** A target as the user wrote it, for a message: the text between `//` and `@`, or after `?` or `#`, could be a token. */
export function withoutCredentials(text: string): string {
  return text.replace(/\/\/[^/]*@/, '//…@').replace(/[?#].*$/s, '?…')
}
