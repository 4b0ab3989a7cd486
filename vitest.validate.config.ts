import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** Long simulations, hundreds of kills, thousands of malformed requests: run by `npm run validate`, not in the gate. */
const config: ViteUserConfig = defineConfig({
  test: {
    include: ['tests/validate/**/*.validate.ts'],
    // One after the other: they measure time and memory.
    maxWorkers: 1,
    globalSetup: ['tests/own-state.ts'],
    setupFiles: ['tests/own-state.ts'],
    // Only what hangs reaches these: a machine that does other work as well takes several times as long.
    testTimeout: 3_600_000,
    hookTimeout: 300_000,
  },
})

export default config
