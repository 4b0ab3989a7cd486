import { parseForeignJson } from './parse-json.ts'

/**
 * Parses a document that an older version may have written: while the project was called asrbench, thresholds "failIf", or
 * concurrent users "speakers". What had the former name gets the present one.
 *
 * @throws SyntaxError where the text is not JSON
 */
export function parseDocument(text: string): unknown {
  return parseForeignJson(
    text
      .replaceAll('"asrbenchVersion":', '"programVersion":')
      .replaceAll(/"key":\s*"asrbench"/g, '"key": "transcribench"')
      .replaceAll('"failIf":', '"thresholds":')
      .replaceAll(/"kind":\s*"speakers"/g, '"kind": "users"')
      .replaceAll(/"speakers":\s*(?=\d)/g, '"users": '),
  )
}
