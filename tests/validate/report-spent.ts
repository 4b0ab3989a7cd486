/** Preloaded into a process: writes what it has spent, as JSON, to the file that `SPENT_FILE` names. */
import { readFileSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env['SPENT_FILE']
if (file !== undefined && isMainThread) {
  process.on('exit', () => {
    const [, kilobytes = ''] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    const { user, system } = process.cpuUsage()
    const spent = {
      processorSeconds: (user + system) / 1e6,
      peakMegabytes: (Number(kilobytes) * 1024) / 1e6,
    }
    writeFileSync(file, JSON.stringify(spent))
  })
}
