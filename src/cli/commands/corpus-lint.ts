import type { Command } from 'commander'
import { lintChecks, lintCorpus } from '#corpus/lint/lint-corpus'
import { shellWord } from '#prelude'
import { renderLint } from '#reports/help/corpus-texts'
import type { Attach } from '../command-context.ts'
import { namedManifest } from '../named-files.ts'
import { shortened } from '../options.ts'
import { countedLine } from '../progress-lines.ts'
import { option } from '../typed-options.ts'

const lintOptions = () => [
  option('--against <corpus>', 'another corpus that must share nothing with this one'),
  option('--json', 'one JSON document on stdout'),
]

/** `transcribench corpus lint`: what a person should listen to. Nothing is edited. */
export function defineLintCommand(corpus: Command, attach: Attach): void {
  const lint = corpus
    .command('lint')
    .description('find utterances to listen to: duplicates, cut speech, wrong texts; edits nothing')
    .argument('[corpus]', 'a name under corpora/, or the path of a manifest; - for standard input', 'quick')
    .addHelpText(
      'after',
      `\nChecks:\n${lintChecks.map(({ name, meaning }) => `  ${name}\n    ${meaning}`).join('\n')}`,
    )
  attach(lint, lintOptions, async (context, { against, json }, [name = 'quick']) => {
    const path = await namedManifest(context, name)
    const other = against === undefined ? undefined : await namedManifest(context, against)
    const line = countedLine(context, 'listening')
    const report = await lintCorpus(path, {
      ...{ env: context.env, cwd: context.cwd, against: other },
      onProgress: line.show,
    })
    line.done()
    if (json === true) context.print(JSON.stringify(report, null, 2))
    else {
      const findings = report.findings.map((finding) => ({
        ...finding,
        audio: finding.audioPath === null ? null : shortened(finding.audioPath, context.cwd),
      }))
      context.print(renderLint({ ...report, findings }, context.output))
    }
    if (report.findings.length > 0) {
      context.say(`nothing was changed. Listen and correct: transcribench review ${shellWord(path)}`)
    }
    return 'done'
  })
}
