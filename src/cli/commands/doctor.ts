import type { Command } from 'commander'
import { type Check, diagnose } from '#run/target/doctor'
import type { Attach } from '../command-context.ts'
import { namedPath } from '../named-files.ts'
import { option } from '../typed-options.ts'

const doctorOptions = () => [
  option('--key-from <variable>', 'environment variable with the key of an openai: target'),
  option('--engines <file>', 'engines file that the built-in service is started with'),
  option('--no-send', 'send no clip to a transcription server'),
  option('--yes', 'send a clip also where it may be billed: to providers and servers on other machines'),
  option('--json', 'one JSON document on stdout'),
]

/** `transcribench doctor [target]`: checks that the target transcribes, and that this machine can measure. */
export function defineDoctorCommand(doctor: Command, attach: Attach): void {
  doctor.argument(
    '[target]',
    'embedded, auto, a discovery file, an address, openai:http://…/v1, or a provider such as deepgram; default: TRANSCRIBENCH_TARGET, else embedded',
  )
  attach(
    doctor,
    doctorOptions,
    async (context, { json, keyFrom = null, engines = null, send, yes }, [named]) => {
      const target = named ?? (context.env['TRANSCRIBENCH_TARGET'] || 'embedded')
      const file = { ending: '.yaml', what: '--engines' }
      const enginesFile = engines === null ? null : await namedPath(context, engines, file)
      const sends = !send ? 'none' : yes === true ? 'all' : 'free'
      const diagnosis = await diagnose({ target, keyFrom, engines: enginesFile, sends, env: context.env })
      if (json === true) context.print(JSON.stringify(diagnosis, null, 2))
      else for (const check of diagnosis.checks) context.print(checkLines(check, context.output.unicode))
      return diagnosis.isReady ? 'done' : 'targetNotReady'
    },
  )
}

function checkLines({ name, state, finding, hint }: Check, unicode: boolean): string {
  const marks = unicode ? { good: '✓', bad: '✗', note: '~' } : { good: '+', bad: 'x', note: '~' }
  const indent = ' '.repeat(16)
  const lines = finding.split('\n').join(`\n${indent}`)
  return `  ${marks[state]} ${name.padEnd(11)} ${lines}${hint === null ? '' : `\n${indent}${hint}`}`
}
