import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('./fixtures/', import.meta.url)

export const fixtureNames: readonly string[] = readdirSync(folder).filter((name) => !/\.(md|sh)$/.test(name))

export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, folder)))
}
