import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

/** The rows of a compressed JSON Lines fixture. */
export function readVectors<Row>(name: string): Row[] {
  const compressed = readFileSync(fixture(`${name}.jsonl.gz`))
  const lines = gunzipSync(compressed).toString('utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Row)
}

/** The text of a fixture; NIST's files are in Latin-1. */
export function readFixture(name: string): string {
  return readFileSync(fixture(name), 'latin1')
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
}
