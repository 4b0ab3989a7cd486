import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli, startCli } from '../journeys/run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'

test('the next command quotes a path with a blank, so that it can be typed as it is shown', async () => {
  await using home = await temporaryFolder({ 'my data/keep': '' })
  await writeFile(join(home.path, 'my config.yaml'), 'seed: 1\n')
  const checked = await runCli(['config', 'check', 'my config.yaml'], { cwd: home.path })
  expect(checked.stderr).toContain("transcribench run 'my config.yaml'")
  const begun = await runCli(['init', 'my own.yaml'], { cwd: home.path })
  expect(begun.stderr).toContain("transcribench run 'my own.yaml'")
  await using serving = startCli(['serve', '--data-dir', 'my data'], { cwd: home.path })
  await serving.said(/transcribench run --target '.*my data\/local-api\.json'/)
})
