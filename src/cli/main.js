#!/usr/bin/env node
import nodeModule from 'node:module'
import { compileCacheFolder } from '#installation/compile-cache'
import { tooOldFor } from './node-version.js'

// These three files are JavaScript in the sources too, so that an old Node can run them and report that it is too
// old. They also keep Node's TypeScript parser unloaded while the compile cache has the other modules, because
// loading it takes as long as a short command.
const complaint = tooOldFor(process.version, process.execPath, process.argv[1] ?? 'transcribench')
if (complaint === null) {
  const folder = compileCacheFolder(process.env)
  if (folder !== null) nodeModule.enableCompileCache(folder)
  const { runCommandLine } = await import('./command-line.ts')
  await runCommandLine()
} else {
  process.stderr.write(complaint)
  process.exitCode = 2
}
