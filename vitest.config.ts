import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { countReporter } from './tests/count-reporter.ts'
import { LongestFirst } from './tests/longest-first.ts'

/** Tests of what a process says of itself need one that has done nothing before. */
const aloneInTheirProcess = ['tests/telemetry/**/*.test.ts']

const config: ViteUserConfig = defineConfig({
  test: {
    reporters: ['default', countReporter],
    // More than the two cores: most tests wait for services and child processes.
    maxWorkers: 5,
    globalSetup: ['tests/own-state.ts'],
    setupFiles: ['tests/own-state.ts'],
    sequence: { sequencer: LongestFirst },
    // Only what hangs reaches these: a machine that does other work as well takes several times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['tests/**/*.test.ts'],
          exclude: aloneInTheirProcess,
          setupFiles: ['tests/property-cases.ts'],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: aloneInTheirProcess } },
    ],
  },
})

export default config
