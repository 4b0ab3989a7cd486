import { tmpdir } from 'node:os'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { flagOf, serveOptions } from '../../src/cli/commands/serve-options.ts'
import { runCli } from '../journeys/run-cli.ts'

describe('the options of `transcribench serve`', () => {
  test('are all listed by --help, each with its default', () => {
    const serve = new Command('serve')
    for (const option of serveOptions()) serve.addOption(option)
    const help = serve.createHelp()
    const listed = new Map(
      help.visibleOptions(serve).map((option) => [option.long, help.optionDescription(option)]),
    )
    const flags = Object.values(flagOf).filter((flag) => flag !== null)
    expect(flags.filter((flag) => !listed.get(flag)?.includes('default: '))).toEqual([])
    expect(listed.get('--max-queue')).toContain('default: 256')
    expect(listed.get('--request-timeout')).toContain('default: 600')
  })

  test('abbreviate the home folder of the user, and no other one that begins with its name', async () => {
    const help = async (dataHome: string): Promise<string> => {
      const env = { HOME: '/srv/ann', XDG_DATA_HOME: dataHome, TRANSCRIBENCH_MODELS_DIR: '/srv/models' }
      const { stdout } = await runCli(['serve', '--help'], { cwd: tmpdir(), env })
      return stdout.replaceAll(/\s+/g, ' ')
    }
    expect(await help('/srv/ann/data')).toContain('(default: ~/data/transcribench)')
    expect(await help('/srv/annabel/data')).toContain('(default: /srv/annabel/data/transcribench)')
  })

  test('are read as numbers and words, durations and sizes with their units', () => {
    const parse = (...given: string[]): object => {
      const serve = new Command('serve').exitOverride()
      for (const option of serveOptions()) serve.addOption(option)
      return serve.parse(given, { from: 'user' }).opts()
    }
    expect(parse('--port', '39201', '--max-queue', 'none', '--platform', 'macos')).toMatchObject({
      port: 39_201,
      maxQueue: Number.POSITIVE_INFINITY,
      platform: 'macos',
    })
    expect(parse('--keep-audio', '30d', '--max-audio', '2GB')).toMatchObject({
      keepAudio: 2_592_000,
      maxAudio: 2_000_000_000,
    })
    expect(parse('--keep-audio', '12h', '--max-audio', '500 mb')).toMatchObject({
      keepAudio: 43_200,
      maxAudio: 5e8,
    })
  })

  test.each([
    {
      given: ['--threads', '1.5'],
      says: '--threads “1.5” cannot be used. A whole number, 0 or more, is needed.',
    },
    {
      given: ['--max-queue', 'no'],
      says: '--max-queue “no” cannot be used. A whole number, 0 or more, is needed.',
    },
    {
      given: ['--keep-audio', '30'],
      says: '--keep-audio “30” cannot be used. A length of time is needed, such as 90s',
    },
    {
      given: ['--max-audio', 'lots'],
      says: '--max-audio “lots” cannot be used. A size is needed, such as 2GB',
    },
    { given: ['--memory', '100'], says: '--memory must be 584 MiB or more, not 100 MiB' },
    { given: ['--log', 'xml'], says: '--log “xml” cannot be used. Allowed choices are text, json.' },
  ])('say what a value must be: $given', async ({ given, says }) => {
    const { code, stderr } = await runCli(['serve', '--data-dir', tmpdir(), ...given], { cwd: tmpdir() })
    expect(code).toBe(2)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(says)
    expect(stderr).toContain('transcribench serve --help')
  })

  test('that are wrong are reported all at once, each once, by the flag that was typed', async () => {
    const wrong = ['--port', 'abc', '--platform', 'dos', '--threads', '0', '--allow-dir', '/nowhere/at/all']
    const { code, stderr } = await runCli(['serve', '--data-dir', tmpdir(), ...wrong], { cwd: tmpdir() })
    expect(code).toBe(2)
    const flags = stderr.split('\n').flatMap((line) => /^ {4}(\S+)/.exec(line)?.[1] ?? [])
    expect(flags).toEqual(['--port', '--platform', '--threads', '--allow-dir'])
    const text = stderr.replaceAll(/\s+/g, ' ')
    expect(text).toContain('--port “abc” cannot be used. A whole number, 0 or more, is needed.')
    expect(text).toContain(
      '--platform “dos” cannot be used. Allowed choices are macos, windows, windows-legacy, linux.',
    )
    expect(stderr).toContain('transcribench serve --help')
  })
})
