import { defineErrors, type ErrorTable } from '#prelude'

/** What can be wrong with a config, wherever its values come from. */
export const configErrors: ErrorTable<'CONFIG_INVALID'> = defineErrors({
  CONFIG_INVALID: {
    exit: 'badInput',
    meaning:
      'A config file, a flag or an environment variable holds something that transcribench does not understand. Nothing ' +
      'is run with a guess: a misspelt key would silently measure something else. Every problem is listed with its ' +
      'place. A config is YAML or JSON; times carry their unit ("90s", "1500ms", "2min"). Flags override the ' +
      'environment, the environment overrides the file, and the file overrides the defaults, which ' +
      '`transcribench run --dry-run` shows. A line "# yaml-language-server: $schema=./config.schema.json" lets editors ' +
      'complete and explain every key.',
  },
})
