import { Option } from 'commander'
import { resultsVariable, standardResults } from '../input/paths.ts'

/** `--results`: where a command looks for runs. The same variable says where `run` writes them. */
export function resultsOption(description = 'where run folders are'): Option {
  return new Option('--results <folder>', description)
    .env(resultsVariable)
    .default(standardResults)
    .argParser((folder) => folder || standardResults)
}
