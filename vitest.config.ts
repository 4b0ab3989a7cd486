import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { countReporter } from './tests/count-reporter.ts'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    reporters: ['default', countReporter],
    // One more than the two cores: many tests wait for services and child processes.
    maxWorkers: 3,
    setupFiles: ['tests/own-state.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})

export default config
