import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { countReporter } from './tests/count-reporter.ts'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    reporters: ['default', countReporter],
    // Two cores: real services, child processes and engines run inside the tests.
    maxWorkers: 2,
    setupFiles: ['tests/own-state.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})

export default config
