import { createRequire } from 'node:module'
import { InvalidArgumentError, Option } from 'commander'
import { nearest } from '#prelude'

const require = createRequire(import.meta.url)

/** `--score`, which names a stored score. */
export function scoreOption(): Option {
  return new Option(
    '--score <name>',
    'a score of the run by its file, profile or fingerprint (default: the newest)',
  ).conflicts('profile')
}

/** `--profile`, which names a normalisation profile; a misspelt name is answered by the one that was probably meant. */
export function profileOption(description: string): Option {
  return new Option('--profile <profile>', description).argParser((name: string) => {
    // Loaded where a profile is named: the rules of all languages are in it.
    const { profileNames } = require('#scoring') as typeof import('#scoring')
    if (profileNames.includes(name)) return name
    const meant = nearest(name, profileNames)
    throw new InvalidArgumentError(
      `${meant === null ? '' : `Did you mean "${meant}"? `}All profiles: transcribench explain`,
    )
  })
}
