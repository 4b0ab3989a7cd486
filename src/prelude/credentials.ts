/**
 * A target as the user wrote it, for a message: the text between `//` and the last `@`, or after `?` or `#`, could be a password,
 * which may have a slash in it.
 */
export function withoutCredentials(text: string): string {
  return text.replace(/\/\/.*@/s, '//…@').replace(/[?#].*$/s, '?…')
}

/**
 * Whether an address has a user or a password in it. A port that is forwarded follows an `@`, too:
 * `http://127.0.0.1:39201@127.0.0.1:4000`.
 */
export function hasCredentials(text: string): boolean {
  const [, authority = ''] = /:\/\/(.*)@[^@]*$/s.exec(text) ?? []
  return authority !== '' && !/^(localhost|[\d.]+|\[[\da-f:]+\]):\d+\/?$/i.test(authority)
}
