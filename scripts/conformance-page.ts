import type { ConformanceCase } from '#conformance/conformance-case'
import { conformanceRules, type Rule, type RuleId, type RuleSubject, ruleSubjects } from '#conformance/rules'
import { conformanceCases } from '#conformance/run-conformance-cases'
import { platforms } from '#contract/enums'

/** Where most rules of a subject are implemented, relative to `src/service`. */
const filesOfSubject: Readonly<Record<RuleSubject, readonly string[]>> = {
  service: ['http/server.ts'],
  authentication: ['http/server.ts', 'folder/data-dir.ts'],
  guard: ['http/server.ts'],
  errors: ['http/call.ts'],
  head: ['http/server.ts', 'http/call.ts'],
  health: ['models/model-endpoints.ts'],
  models: ['models/model-endpoints.ts'],
  modes: ['modes/modes.ts'],
  recordings: ['transcription/recording-store.ts'],
  recorder: ['transcription/recorder.ts'],
  transcription: ['transcription/transcriber.ts'],
  'post-processing': ['modes/post-processor.ts'],
  limits: ['http/call.ts', 'http/body.ts'],
  discovery: ['folder/data-dir.ts'],
}

/** The rules that are implemented elsewhere than their subject. */
const filesOfRule: Readonly<Partial<Record<RuleId, readonly string[]>>> = {
  'service.loopback': ['service.ts'],
  'service.field-case': ['modes/modes.ts'],
  'authentication.token-format': ['folder/data-dir.ts'],
  'errors.malformed-json': ['http/body.ts', 'http/json-reader.ts'],
  'errors.repeated-key': ['http/json-reader.ts', 'http/body.ts'],
  'head.long-head': ['http/server.ts'],
  'head.many-lines': ['http/server.ts'],
  'health.providers': ['modes/provider-snapshot.ts'],
  'models.text': ['models/model-endpoints.ts', 'modes/provider-snapshot.ts'],
  'modes.malformed-id': ['http/call.ts'],
  'modes.create-required': ['modes/modes.ts', 'http/call.ts'],
  'modes.sort-order': ['modes/modes.ts', 'http/call.ts'],
  'modes.sort-order-elsewhere': ['modes/modes.ts', 'http/call.ts'],
  'modes.null-clears': ['modes/modes.ts', 'http/call.ts'],
  'modes.null-omitted': ['modes/modes.ts', 'http/call.ts'],
  'modes.null-refused': ['modes/modes.ts', 'http/call.ts'],
  'modes.null-left-out': ['modes/modes.ts', 'http/call.ts'],
  'modes.windows-fields-ignored': ['modes/modes.ts', 'http/call.ts'],
  'modes.windows-fields': ['modes/modes.ts', 'http/call.ts'],
  'recordings.malformed-id': ['http/call.ts'],
  'recorder.elsewhere': ['http/server.ts'],
  'recorder.authentication': ['http/server.ts'],
  'transcription.unknown-engine': ['transcription/resolve-model.ts'],
  'transcription.unknown-model': ['transcription/resolve-model.ts'],
  'transcription.language': ['transcription/resolve-model.ts'],
  'transcription.mode': ['transcription/resolve-model.ts'],
  'transcription.missing-key': ['engines/provider-engine.ts'],
  'transcription.undecodable': ['transcription/decoder.ts', 'http/json-reader.ts'],
  'transcription.hang-up': ['transcription/transcriber.ts', 'engines/sherpa.ts'],
  'transcription.damaged-header': ['transcription/decoder.ts'],
  'transcription.outside-macos': ['transcription/audio-file.ts', 'http/call.ts'],
  'transcription.outside-elsewhere': ['transcription/audio-file.ts', 'http/call.ts'],
  'transcription.outside-silent': ['transcription/audio-file.ts'],
  'transcription.file': ['transcription/audio-file.ts'],
  'transcription.missing-file': ['transcription/audio-file.ts'],
  'transcription.symlink': ['transcription/audio-file.ts'],
  'transcription.multipart': ['http/body.ts'],
  'transcription.no-multipart': ['http/body.ts'],
  'limits.audio-file': ['transcription/audio-file.ts', 'http/call.ts'],
  'limits.audio-file-legacy': ['http/call.ts'],
  'limits.stalled-uploads': ['waiting.ts', 'http/body.ts'],
  'limits.audio-part': ['http/body.ts'],
  'discovery.private': ['folder/private-folder.ts'],
}

/** A rule that no client can see, and the test that proves it. */
export interface UnseenRule {
  readonly sentence: string
  readonly file: string
  readonly test: { readonly path: string; readonly name: string }
}

export const unseenRules: readonly UnseenRule[] = [
  {
    sentence: 'The token is made at the first start and kept in a file of mode 600.',
    file: 'folder/data-dir.ts',
    test: {
      path: 'tests/service/start-and-stop.test.ts',
      name: 'restricts what other users could read, whichever program made it, and keeps its token',
    },
  },
  {
    sentence:
      'With a new token the previous one is invalid immediately (`transcribench serve token rotate`).',
    file: 'folder/data-dir.ts',
    test: {
      path: 'tests/service/token-and-stop.test.ts',
      name: 'counts at once, and the old one no longer',
    },
  },
  {
    sentence: 'The discovery file is removed on a clean stop.',
    file: 'folder/data-dir.ts',
    test: {
      path: 'tests/service/token-and-stop.test.ts',
      name: 'leaves the discovery file to the service, which takes it along when it stops',
    },
  },
  {
    sentence: 'A file is read through the handle that was checked.',
    file: 'transcription/audio-file.ts',
    test: {
      path: 'tests/service/confinement.test.ts',
      name: 'is never read from outside while a folder on its way is swapped for a link',
    },
  },
  {
    sentence: 'When the client goes away, the work for it stops.',
    file: 'http/server.ts',
    test: {
      path: 'tests/service/under-load.test.ts',
      name: 'a client that goes away ends the work for it, and the next one has its place',
    },
  },
  {
    sentence: 'A transcription past the time-out is TIMEOUT.',
    file: 'transcription/transcriber.ts',
    test: {
      path: 'tests/service/under-load.test.ts',
      name: 'the time-out of the service answers TIMEOUT, and the next request has the place',
    },
  },
  {
    sentence:
      'What else an engine fails with is TRANSCRIPTION_FAILED, and a provider that limits is RATE_LIMITED.',
    file: 'transcription/transcriber.ts',
    test: { path: 'tests/service/transcribe.test.ts', name: 'gets the code that the engine failed with' },
  },
  {
    sentence: 'A body that announces its length is refused before it has come.',
    file: 'http/body.ts',
    test: {
      path: 'tests/service/limits.test.ts',
      name: 'is refused before it has come, by the length that it announces',
    },
  },
  {
    sentence: 'The recorder is retrying after a failure that may pass, and refuses a toggle meanwhile.',
    file: 'transcription/recorder.ts',
    test: { path: 'tests/service/recorder.test.ts', name: 'is retrying meanwhile, and refuses a toggle' },
  },
  {
    sentence: 'A transcription becomes a recording only where the operator asks for it.',
    file: 'transcription/history.ts',
    test: {
      path: 'tests/service/recordings.test.ts',
      name: 'is not made of a transcription unless the operator asks for it, and never of a failed one',
    },
  },
]

/** `docs/conformance.md`: every rule, where it is implemented, and what proves it. */
export function renderConformancePage(): string {
  const subjects = (Object.keys(ruleSubjects) as RuleSubject[]).map((subject) => {
    const rules = conformanceRules.filter((rule) => rule.subject === subject)
    return [`## ${ruleSubjects[subject]}`, '', ...tableHead, ...rules.map(ruleRow)].join('\n')
  })
  const unseen = unseenRules.map(
    ({ sentence, file, test }) => `| ${sentence} | ${inService(file)} | \`${test.path}\`: ${test.name} |`,
  )
  return [introduction, ...subjects, [unseenHead, ...unseen].join('\n')].join('\n\n').concat('\n')
}

/** The files that implement a rule, from the top of the repository. */
export function implementationOf({ id, subject }: Rule): readonly string[] {
  return (filesOfRule[id] ?? filesOfSubject[subject]).map((file) => `src/service/${file}`)
}

const tableHead = ['| rule | says | builds | implemented in | cases |', '|---|---|---|---|---|']

function ruleRow(rule: Rule): string {
  const cases = conformanceCases.filter((one) => one.rule === rule.id)
  const files = implementationOf(rule).map((file) => `\`${file}\``)
  const text = rule.sentence.replaceAll('<', '&lt;')
  const sentence = rule.origin === 'decision' ? `${text} *(ours)*` : text
  return `| ${rule.id} | ${sentence} | ${buildsOf(cases)} | ${files.join(', ')} | ${cases.map(caseText).join(', ')} |`
}

function caseText({ id, access }: ConformanceCase): string {
  return `${id} (${access})`
}

function buildsOf(cases: readonly ConformanceCase[]): string {
  const named = platforms.filter((platform) => cases.some((one) => one.platforms.includes(platform)))
  return named.length === platforms.length ? 'all' : named.join(', ')
}

function inService(file: string): string {
  return `\`src/service/${file}\``
}

const introduction = `# Conformance

The rules of the Local Transcription API, one by one. \`transcribench conformance <target>\` checks any implementation against
them, and the test suite checks the reference service against them on all four platforms. This page is made from the
tables in \`src/conformance/rules.ts\` and \`scripts/conformance-page.ts\`; \`npm run accept\` writes it.

A rule marked *(ours)* is a decision of this project where the specification is silent: another implementation that
breaks it is different, not wrong. Cases that \`reads\` run by default. Those that \`writes\` create Modes, which are removed
again, or have audio transcribed, and want \`--write\`. Those that \`risks\` use the microphone, leave a transcript, or would
lose the last Mode of a service that breaks the rule, and want \`--disposable\`. A Mode that was the default one is the
default again after every case; only its date of modification has changed.

Cases about files need \`--files <folder>\`, a folder that a running service may read. \`--platform\` names the build of a service on
another machine. \`--select modes,limits\` runs some subjects. Exit code 3: a rule is broken, or a Mode was left behind.`

const unseenHead = `## What no client can see

| says | implemented in | proven by |
|---|---|---|`
