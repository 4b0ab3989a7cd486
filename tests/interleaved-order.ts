import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders of files that wait for processes most of the time, in the order in which they begin; the others compute. */
const waitingFolders = ['telemetry', 'conformance', 'fleet', 'browser', 'journeys', 'service', 'cli']

/**
 * Files that wait are spread evenly among those that compute, so that the processors have something to do all the time, and
 * the longest of them are not left for the end.
 */
export class InterleavedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number =>
      waitingFolders.findIndex((folder) => moduleId.includes(`/tests/${folder}/`))
    const sorted = await super.sort(files)
    const waiting = sorted.filter((file) => rank(file) >= 0).toSorted((a, b) => rank(a) - rank(b))
    const computing = sorted.filter((file) => rank(file) < 0)
    return [waiting, computing]
      .flatMap((group) => group.map((file, index) => ({ file, place: (index + 0.5) / group.length })))
      .toSorted((a, b) => a.place - b.place)
      .map(({ file }) => file)
  }
}
