/** Preloaded into a process: writes the most memory that it held to the file that `PEAK_MEMORY_FILE` names. */
import { readFileSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env['PEAK_MEMORY_FILE']
if (file !== undefined && isMainThread) {
  process.on('exit', () => {
    const [, kilobytes = ''] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    writeFileSync(file, String(Number(kilobytes) * 1024))
  })
}
