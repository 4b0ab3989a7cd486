import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { configJsonSchema } from '#config'
import { openApiDocument } from '#contract'
import { renderMetricsPage } from '#reports'
import { renderConformancePage } from './conformance-page.ts'
import { renderNormalisationPage } from './normalisation-page.ts'
import { publishedSchemas } from './published-documents.ts'

/** A file in the repository that is made from a table in the code. */
export interface GeneratedFile {
  /** Relative to the top of the repository. */
  readonly path: string
  readonly text: string
}

/** All of them; `npm run accept` writes them, and a test holds them against what is checked in. */
export function generatedFiles(): GeneratedFile[] {
  return [
    { path: 'configs/config.schema.json', text: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
    ...Object.entries(publishedSchemas()).map(([name, schema]) => ({
      path: `docs/schemas/${name}.schema.json`,
      text: `${JSON.stringify(schema, null, 2)}\n`,
    })),
    { path: 'docs/conformance.md', text: renderConformancePage() },
    { path: 'docs/normalisation.md', text: renderNormalisationPage() },
    { path: 'docs/openapi.json', text: `${JSON.stringify(openApiDocument(), null, 2)}\n` },
    { path: 'docs/metrics.md', text: `${renderMetricsPage()}${statisticsSection()}${glossary}` },
  ]
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

Found by \`npm run -s validate:statistics\`, with seeds that were fixed before the first run. Every interval is at 95 % and
held against the model that it assumes, in 5,000 replicates: the share of intervals that hold the truth is then known to
within 0.6 points. Intervals between whole numbers (ranks, counts) cannot hold exactly 95 %; what they hold exactly is
calculated and stands beside what was found.

| what | asked for | found |
|---|---|---|
`

const glossary = `
## How often the detectors err

On 100,000 seeded pairs of 12 to 28 words with 10% ordinary errors in them, where nothing has gone astray: loop 2,
hallucination, empty output, missing start, middle and end, and wrong script 0 each
(\`npm run validate -- tests/validate/detectors.validate.ts\`).

On real engines: moonshine-tiny and moonshine-base on the ten recordings of the quick corpus (two to 22 words), damaged in
known ways by \`tests/validate/damaged-corpus.ts\`, all 150 requests answered:

| done to the recording | should be found | moonshine-tiny, of 10 | moonshine-base, of 10 |
|---|---|---|---|
| nothing | nothing | nothing | nothing |
| second half cut off | missing end | missing end 3 | missing end 2, loop 2 |
| first half cut off | missing start | missing start 3, missing end 1 | missing start 3 |
| the middle half cut out | missing middle | missing middle 2, empty output 2 | missing middle 2, missing end 1 |
| noise, 5 dB below the speech | nothing | empty output 1 | hallucination 1, loop 1 |
| noise, 5 dB above the speech | empty output, inventions | empty output 8 | empty output 1 |
| four times in a row | loop or hallucination | hallucination 9, loop 5 | hallucination 9, loop 5, empty output 1 |
| 100 s of silence and noise alone, 5 recordings | no words | no words | no words |

Every find was read beside its text. None is without reason, what was not to be expected included ("rather cold-hearted and
rather" three times over for half a sentence, "ten of cloves" three times for one in noise); one names the wrong end, where
two garbled words were left of a second half. On clean recordings nothing is found. Ends and middles are only found from five and eight words on, which half of these recordings are
too short for. \`npm run validate -- tests/validate/detectors-on-engines.validate.ts\` repeats it and prints the texts. That
is few: take a detector for a pointer to what to listen to.

## Words

| word | means |
|---|---|
| utterance | one recording with its reference |
| reference, hypothesis | what was said, what was recognised |
| contender | engine + model + options under test |
| run | one execution of a plan, one folder |
| round | one pass of a contender over the corpus |
| block | what one contender is sent in one go: the stretch of time in which only that contender is measured |
| turn | one block of each contender, with the same utterances; every second turn mirrors the order of the one before |
| attempt | one request that was sent |
| profile | a versioned set of normalisation rules, applied to reference and hypothesis alike |
| schedule | when requests leave: closed keeps a number in flight |
| failure | of a request |
| error | in a word or a character |

Inside, audio is in seconds, latency in milliseconds, and ratios are 0..1 (an error rate may exceed 1); percent and
percentage points exist in reports only. Every rate is a ratio of sums over the utterances that it speaks of, never a mean
of rates. H, S, D and I are hits, substitutions, deletions and insertions of the alignment with the fewest errors and,
among those, the most hits. Repeats of an utterance over the rounds all count; they are one unit for the interval.
`
