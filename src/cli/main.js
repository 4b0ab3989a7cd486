#!/usr/bin/env node
import nodeModule from 'node:module'
import { compileCacheFolder } from '#installation/compile-cache'
import { tooOldFor } from './node-version.js'

// The three files that are JavaScript in the sources too. Every Node can read them, so that an old one can say what it lacks;
// and Node's parser of types, which takes as long to load as a short command to run, stays unloaded while the compile
// cache holds the rest.
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
