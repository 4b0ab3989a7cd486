import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether a small disk can be mounted here, and made larger, in a namespace: root can, other users on some systems. */
export const canMount: boolean = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'transcribench-mount-'))
  const script =
    'mount -t tmpfs -o size=1m tmpfs "$1" && mount -o remount,size=2m "$1" && mount -o remount,ro "$1"'
  const { status } = spawnSync('unshare', ['-rm', 'sh', '-c', script, 'sh', folder], { stdio: 'ignore' })
  rmSync(folder, { recursive: true, force: true })
  return status === 0
})()

/** To be added to the name of a test that is skipped without it. */
export const mountReason: string = canMount ? '' : ' (skipped: no disk can be mounted here by this user)'
