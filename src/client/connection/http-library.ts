import { createRequire } from 'node:module'
import { lazily } from '#prelude'

const require = createRequire(import.meta.url)

/** The HTTP library, loaded with the first connection: what only reads a target's name or errors needs none. */
export const httpLibrary: () => typeof import('undici') = lazily(() => require('undici'))
