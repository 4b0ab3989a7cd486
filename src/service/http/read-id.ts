import { type Outcome, succeeded } from '#prelude'
import { type Refusal, refused } from './refusal.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** @returns the id in the spelling in which ids are stored */
export function readId(text: string): Outcome<string, Refusal> {
  const id = text.toLowerCase()
  return uuid.test(id) ? succeeded(id) : refused('INVALID_REQUEST', 'The id is not a UUID.')
}
