/**
 * Parses a document that the project may have written while it was called asrbench: what carried that name carries the
 * present one.
 *
 * @throws SyntaxError where the text is not JSON
 */
export function parseDocument(text: string): unknown {
  return JSON.parse(
    text
      .replaceAll('"asrbenchVersion":', '"programVersion":')
      .replaceAll(/"key":\s*"asrbench"/g, '"key": "transcribench"'),
  )
}
