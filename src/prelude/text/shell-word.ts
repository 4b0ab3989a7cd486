/** A text as a shell takes it back as one word. */
export function shellWord(text: string): string {
  return /^[\w./~+:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
