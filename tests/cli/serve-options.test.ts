import { tmpdir } from 'node:os'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import type { Problem } from '#prelude'
import { flagOf, serveOptions } from '../../src/cli/commands/serve-options.ts'
import { runCli } from '../journeys/run-cli.ts'

describe('the options of `transcribench serve`', () => {
  test('are all listed by --help, each with its default', () => {
    const serve = new Command('serve')
    for (const option of serveOptions([])) serve.addOption(option)
    const help = serve.createHelp()
    const listed = new Map(
      help.visibleOptions(serve).map((option) => [option.long, help.optionDescription(option)]),
    )
    const flags = Object.values(flagOf).filter((flag) => flag !== null)
    expect(flags.filter((flag) => !listed.get(flag)?.includes('default: '))).toEqual([])
    expect(listed.get('--max-queue')).toContain('default: 256')
    expect(listed.get('--request-timeout')).toContain('default: 600')
  })

  test('are read as numbers and words, and unreadable values are kept for the error', () => {
    const misread: Problem[] = []
    const serve = new Command('serve').exitOverride()
    for (const option of serveOptions(misread)) serve.addOption(option)
    serve.parse(['--port', '39201', '--max-queue', 'none', '--platform', 'macos', '--threads', '1.5'], {
      from: 'user',
    })
    expect(serve.opts()).toMatchObject({
      port: 39_201,
      maxQueue: Number.POSITIVE_INFINITY,
      platform: 'macos',
    })
    expect(misread).toEqual([{ where: '--threads', what: 'is a whole number, not "1.5"' }])
  })

  test('take durations and sizes with their units', () => {
    const misread: Problem[] = []
    const parse = (...given: string[]): object => {
      const serve = new Command('serve').exitOverride()
      for (const option of serveOptions(misread)) serve.addOption(option)
      return serve.parse(given, { from: 'user' }).opts()
    }
    expect(parse('--keep-audio', '30d', '--max-audio', '2GB')).toMatchObject({
      keepAudio: 2_592_000,
      maxAudio: 2_000_000_000,
    })
    expect(parse('--keep-audio', '12h', '--max-audio', '500 mb')).toMatchObject({
      keepAudio: 43_200,
      maxAudio: 5e8,
    })
    parse('--keep-audio', '30', '--max-audio', 'lots')
    expect(misread).toEqual([
      { where: '--keep-audio', what: 'is a duration such as 30d, 12h or 90min, not "30"' },
      { where: '--max-audio', what: 'is a size such as 2GB or 500MB, not "lots"' },
    ])
  })

  test('that are wrong are reported all at once, each once, by the flag that was typed', async () => {
    const wrong = ['--port', 'abc', '--platform', 'dos', '--threads', '0', '--allow-dir', '/nowhere/at/all']
    const { code, stderr } = await runCli(['serve', '--data-dir', tmpdir(), ...wrong], { cwd: tmpdir() })
    expect(code).toBe(2)
    const flags = stderr.split('\n').flatMap((line) => /^ {4}(\S+)/.exec(line)?.[1] ?? [])
    expect(flags).toEqual(['--port', '--platform', '--threads', '--allow-dir'])
    const text = stderr.replaceAll(/\s+/g, ' ')
    expect(text).toContain('--port is a whole number, not "abc"')
    expect(text).toContain('--platform is one of macos, windows, windows-legacy, linux, not "dos"')
    expect(stderr).toContain('transcribench serve --help')
  })
})
