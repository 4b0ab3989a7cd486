import process from 'node:process'
import { isWindows, ownNode, program, run, setUp } from './setup.js'

// Installs everything, fetches two models and ten recordings, and runs the first real benchmark: `npm run quickstart`.
const env = setUp()
// Ctrl-C reaches the run as well, which then ends in order.
process.on('SIGINT', () => undefined)
// Its further commands are printed as they can be typed here.
const typed = isWindows
  ? { env: { ...env, npm_lifecycle_event: 'transcribench' } }
  : { env, argv0: './scripts/transcribench' }
process.exitCode = run(ownNode(), [...program, 'run', '--fetch', ...process.argv.slice(2)], typed)
