/**
 * Serves a page to one tab of a browser on this machine, with recordings in byte ranges and corrections that are on
 * disk before they are confirmed. Never listens beyond loopback, never scores, never sends anything anywhere.
 *
 *   await using server = await startPageServer({ html, document, recordings, correcting, port: 0 })
 *   console.log(`open ${server.address}`)
 */
export { type LineFile, openLineFile, reviewErrors } from './correction-file.ts'
export {
  type PageServer,
  type PageServerOptions,
  type ServedRecording,
  startPageServer,
} from './page-server.ts'
