import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import compactJson from 'json-stringify-pretty-compact'
import { z } from 'zod'
import { configFile } from '#config/config-file'
import { renderConformancePage } from './conformance-page.ts'
import { renderLanguageFilesPage, renderLanguagesPage } from './languages-page.ts'
import { renderMetricsPage } from './metrics-page.ts'
import { renderNormalisationPage } from './normalisation-page.ts'
import { openApiDocument } from './openapi.ts'
import { renderProvidersPage } from './providers-page.ts'
import { publishedSchemas } from './published-documents.ts'
import { renderResultsPage } from './results-page.ts'

/** A file in the repository that is made from a table in the code. */
export interface GeneratedFile {
  /** Relative to the top of the repository. */
  readonly path: string
  readonly text: string
}

/** All of them; `npm run accept` writes them, and a test compares them with what is checked in. */
export function generatedFiles(): GeneratedFile[] {
  const schemas = publishedSchemas()
  return [
    { path: 'configs/config.schema.json', text: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
    ...Object.entries(schemas).map(([name, schema]) => ({
      path: `docs/schemas/${name}.schema.json`,
      text: `${compactJson(schema, { maxLength: 140 })}\n`,
    })),
    { path: 'docs/conformance.md', text: renderConformancePage() },
    { path: 'docs/language-files.md', text: renderLanguageFilesPage() },
    { path: 'docs/languages.md', text: renderLanguagesPage() },
    { path: 'docs/normalisation.md', text: renderNormalisationPage() },
    { path: 'docs/providers.md', text: renderProvidersPage() },
    { path: 'docs/results-format.md', text: renderResultsPage(schemas) },
    { path: 'docs/openapi.json', text: `${JSON.stringify(openApiDocument(), null, 2)}\n` },
    { path: 'docs/metrics.md', text: `${renderMetricsPage()}${statisticsSection()}${glossary}` },
  ]
}

/**
 * The JSON Schema of a config file, for completion and help in editors. It is draft 7, which YAML extensions of
 * editors support. Checks that only `readConfig` makes are not included, such as that a contender has an engine and a
 * model.
 */
function configJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, properties, ...rest } = z.toJSONSchema(configFile, { io: 'input', target: 'draft-7' })
  return {
    $schema,
    title: 'transcribench config',
    description:
      'A benchmark of speech transcription. Every key may be left out; an empty object is the quick run.',
    ...rest,
    properties: { $schema: { type: 'string', description: 'this schema, for editors' }, ...properties },
  }
}

const foundRows = z.array(z.strictObject({ what: z.string(), asked: z.string(), found: z.string() }))

/** From what `npm run validate:statistics` has found last. */
function statisticsSection(): string {
  const path = join(import.meta.dirname, '../tests/validate/statistics-found.json')
  const rows = foundRows
    .parse(JSON.parse(readFileSync(path, 'utf8')))
    .map(({ what, asked, found }) => `| ${what} | ${asked} | ${found} |`)
  return `${statisticsHead}${rows.join('\n')}\n`
}

const statisticsHead = `
## How often the statistics are right

Measured by \`npm run -s validate:statistics\`, with seeds that were fixed before the first run. Every interval is at 95 % and is
tested under the model that it assumes, in 5,000 replicates. The coverage is then known within 0.6 points. Intervals between
whole numbers (ranks, counts) cannot cover exactly 95 %; their exact coverage is calculated and shown next to the measured one.

| what | nominal | measured |
|---|---|---|
`

const glossary = `
## How often the detectors err

False alarms were counted on 100,000 seeded pairs of 12 to 28 words with 10% ordinary errors. There were 2 loops, and none of
hallucination, empty output, missing start, middle and end, and wrong script
(\`npm run validate -- tests/validate/detectors.validate.ts\`).

Real engines were tested with damaged recordings: moonshine-tiny and moonshine-base on the quick corpus (two to 22 words), damaged by
\`tests/validate/damaged-corpus.ts\`. All 150 requests were answered:

| damage to the recording | expected | moonshine-tiny, of 10 | moonshine-base, of 10 |
|---|---|---|---|
| nothing | nothing | nothing | nothing |
| second half cut off | missing end | missing end 3 | missing end 2, loop 2 |
| first half cut off | missing start | missing start 3, missing end 1 | missing start 3 |
| the middle half cut out | missing middle | missing middle 2, empty output 2 | missing middle 2, missing end 1 |
| noise, 5 dB below the speech | nothing | empty output 1 | hallucination 1, loop 1 |
| noise, 5 dB above the speech | empty output, inventions | empty output 8 | empty output 1 |
| four times in a row | loop or hallucination | hallucination 9, loop 5 | hallucination 9, loop 5, empty output 1 |
| 100 s of silence and noise alone, 5 recordings | no words | no words | no words |

Every finding was read next to its text. All have a reason, also the unexpected ones: "rather cold-hearted and rather" three times
for half a sentence, "ten of cloves" three times for one in noise. One names the wrong end, because two garbled words of the second
half were left. On clean recordings there are no findings. Missing ends need five words and missing middles eight, and half of these
recordings are shorter. \`npm run validate -- tests/validate/detectors-on-engines.validate.ts\` repeats the test and prints the
texts. The sample is small: use a finding as a hint to listen.

## Words

| word | means |
|---|---|
| utterance | one recording with its reference |
| reference, hypothesis | what was said, what was recognised |
| contender | engine + model + options under test |
| run | one execution of a plan, one folder |
| round | one pass of a contender over the corpus |
| block | the requests that one contender gets in one go; no other contender is measured meanwhile |
| turn | one block of each contender, with the same utterances; every second turn mirrors the order of the one before |
| attempt | one sending of a request; a retry is another attempt at the same request |
| segment | the part of a run between two resumptions |
| window | of a block: ramp-up, steady part, drain |
| lane | contenders that are measured one after the other, because they share a machine |
| recording | the audio of an utterance; in the reference service also an entry of its history |
| profile | a versioned set of normalisation rules, applied to reference and hypothesis alike |
| schedule | when requests leave: closed keeps a number in flight |
| failure | of a request |
| error | in a word or a character |

In files and code, audio is in seconds, latency in milliseconds, and ratios are 0..1 (an error rate may exceed 1); percent and
percentage points exist in reports only. Every rate is a ratio of sums over its utterances, never a mean
of rates. H, S, D and I are hits, substitutions, deletions and insertions of the alignment with the fewest errors and,
among those, the most hits. Repeats of an utterance over the rounds all count; they are one unit for the interval.
`
