import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { countReporter } from './tests/count-reporter.ts'

/** Folders whose tests leave nothing behind in their process: one process serves many of their files. */
const withoutTraces = [
  'analysis',
  'architecture',
  'capacity',
  'config',
  'contract',
  'languages',
  'load',
  'prelude',
  'providers',
  'rates',
  'reports',
  'run',
  'scoring',
  'statistics',
  'transcripts',
].map((folder) => `tests/${folder}/**/*.test.ts`)

const config: ViteUserConfig = defineConfig({
  test: {
    reporters: ['default', countReporter],
    // One more than the two cores: many tests wait for services and child processes.
    maxWorkers: 3,
    setupFiles: ['tests/own-state.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'shared', include: withoutTraces, isolate: false } },
      {
        extends: true,
        test: { name: 'separate', include: ['tests/**/*.test.ts'], exclude: withoutTraces },
      },
    ],
  },
})

export default config
