import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Folders of files that need long: first those that run alone in their process, then those that wait for processes, then
 * those that compute.
 */
const firstFolders = [
  ...['telemetry', 'fleet', 'journeys', 'conformance', 'browser'],
  ...['service', 'scoring', 'audio', 'capacity', 'corpus'],
]

/** Files that last long are not left for the end, where they would occupy one worker while the others have nothing to do. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = firstFolders.findIndex((folder) => moduleId.includes(`/tests/${folder}/`))
      return index === -1 ? firstFolders.length : index
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
