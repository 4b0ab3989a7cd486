import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/**
 * Ends the output of the test run with its true count, on a separate line. A file that could not be
 * loaded, and an error outside any test, count as a failure.
 */
export const countReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      const results = [...module.children.allTests()].map((test) => test.result().state)
      for (const state of results) {
        if (state === 'passed') counts.passed += 1
        else if (state === 'skipped') counts.skipped += 1
        else counts.failed += 1
      }
      if (module.state() === 'failed' && !results.includes('failed')) counts.failed += 1
    }
    counts.failed += errors.length
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    if (process.env['FAILED_STEPS']) {
      process.stdout.write(`\nfailed before the tests: ${process.env['FAILED_STEPS']}\n`)
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`)
  },
}
