import { expect, test } from 'vitest'
import { refuseFormerOptions } from '../../src/cli/former-names.ts'
import { runCli } from '../journeys/run-cli.ts'

test.each(['run', 'compare', 'experiment'])('%s names --threshold where --fail-if is typed', async (name) => {
  const typed = [name, 'a', 'b', '--fail-if=wer > 8%', '--json']
  const { code, stdout, stderr } = await runCli(typed, { cwd: import.meta.dirname })
  expect(code).toBe(2)
  expect(stderr).toContain('--fail-if is --threshold now')
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain("--threshold 'wer <= 8%' for --fail-if 'wer > 8%'")
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'COMMAND_LINE_INVALID' } })
})

test('a word that every object has as a property is taken as it is typed', async () => {
  const typed = ['explain', 'constructor', '--json']
  const { code, stdout } = await runCli(typed, { cwd: import.meta.dirname })
  expect(code).toBe(2)
  expect(JSON.parse(stdout).error.message).toContain('"constructor"')
})

test('an option that only begins like a former one is left alone', () => {
  expect(() => refuseFormerOptions(['compare', '--fail-if-worse'])).not.toThrow()
  expect(() => refuseFormerOptions(['wer', '--', '--fail-if'])).not.toThrow()
})
