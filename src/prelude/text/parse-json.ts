/** The value of a JSON text; `undefined`, which no JSON holds, where it is not JSON. Never throws, and never quotes the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
