import { InvalidArgumentError, Option } from 'commander'
import { nearest } from '#prelude'
import { profileNames } from '#scoring'

/** `--profile`, which names a normalisation profile; a misspelt name is answered by the one that was probably meant. */
export function profileOption(description: string): Option {
  return new Option('--profile <profile>', description).argParser((name: string) => {
    if (profileNames.includes(name)) return name
    const meant = nearest(name, profileNames)
    throw new InvalidArgumentError(
      `${meant === null ? '' : `Did you mean "${meant}"? `}All profiles: transcribench explain`,
    )
  })
}
