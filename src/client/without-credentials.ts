/** A target as somebody wrote it, for a message: what stands between `//` and `@`, or after `?` or `#`, could be a token. */
export function withoutCredentials(text: string): string {
  return text.replace(/\/\/[^/]*@/, '//…@').replace(/[?#].*$/s, '?…')
}
