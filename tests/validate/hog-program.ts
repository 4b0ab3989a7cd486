/** Another program on the machine: takes 80 % of one processor while its parent says so. */
import { setTimeout as sleep } from 'node:timers/promises'
import { work } from './work.ts'

let isOn = false
process.on('message', (message) => {
  isOn = message === 'on'
})
process.once('disconnect', () => process.exit(0))
for (;;) {
  const startedAtMs = performance.now()
  while (isOn && performance.now() - startedAtMs < 40) work(1)
  await sleep(10)
}
