import { detailNames } from '#reports/run/details/details'

/** A published document with what its schema does not say: when it is written, and how its parts belong together. */
interface DescribedDocument {
  /** Of its schema. */
  readonly name: string
  /** Heading of its section. */
  readonly title: string
  readonly introduction: string
}

/** The beginning of `docs/results-format.md`. */
export const opening = `# Results format

A run is a folder \`results/<started>-<name>/\`. It needs nothing outside itself to be scored or compared. Times inside are
milliseconds since the run's clock started (monotonic) unless the field's name ends in \`At\` (ISO 8601, UTC); audio is
in seconds; ratios are 0..1. Absent is \`null\` in JSON and an empty cell in CSV, never 0. A run of another
\`formatVersion\` is refused with a message; a score of another one is made again from the journal. No token is ever written to any of these files.

| file | what | written |
|---|---|---|
| \`run.json\` | status, command, config as resolved, seed, target, host, corpus, counts, ending | at the start (\`started\`) and at the end (\`finished\`, \`interrupted\`, \`failed\`), replaced as a whole |
| \`plan.jsonl\` | one line per utterance with its reference, then one line per planned request in the order of sending | before the first request |
| \`journal.jsonl\` | one line per attempt | before the attempt counts as done |
| \`reused.jsonl\` | one line per answer of an earlier run that is scored again (\`--reuse\`); absent without | before the first request |
| \`modes.jsonl\` | what the run did to the server's Modes, and what undoes it | before the server is asked, and after it answered; synced to disk |
| \`staged.jsonl\` | folders of copies that \`--stage\` made, and that they were removed; absent without copies | before each is made; synced to disk |
| \`telemetry.jsonl\` | what the server's processes and the host were using | four times a second; macOS and Windows: once a second |
| \`run.lock\` | nothing; the process that writes the run holds a lock on it, so that no second one goes on with the run | at the start |
| \`evaluation.json\` | the scored result: the one document that every report renders | after the run |
| \`scoring.json\` | what the score was made with beyond the run's own rules, corrected references included; other commands score by it | after the run |
| \`summary.json\` | the metrics of each contender by name, with findings, ranking and thresholds | after the run |
| \`summary.csv\` | one row per contender | after the run |
| \`utterances.csv\` | one row per planned request | after the run |
| \`report.html\` | the evaluation to be looked at, in one file: see [report.md](report.md) | after the run |

A run that died keeps the status \`started\`. Its attempts are complete: a line that was cut off by the death is ignored
by every reader, and the request counts as not sent.

\`transcribench run --resume\` appends to the files of lines but \`plan.jsonl\`, which stays as it is. It replaces the files of the
score, and \`run.json\`, whose \`resumedAt\` then says when, and whose \`target\` says where it went then. Lines that were written since carry \`segment\`, how often the run had been resumed before; in
the first segment it is absent. The times continue from the last one that was written, as if the run's clock had been stopped. What
a death cut off stays as it is, and an empty line follows it.

This page is made from the descriptions in the code. For \`.jsonl\` files, the tables and the schema are those of a line. A field that
is marked optional may be absent.
`

/** Every published document, in the order of the page. */
export const describedDocuments: readonly DescribedDocument[] = [
  {
    name: 'run',
    title: '`run.json`',
    introduction: `What was measured, where, and how it ended. Some services send a refusal that means "no speech found", for example
TRANSCRIPTION_FAILED with such a message. It is a failure here, because the recorder does not interpret it. In the evaluation it is an
answer with an empty text, and is counted. Always: planned = answered + failed + dropped + not sent.`,
  },
  {
    name: 'plan',
    title: '`plan.jsonl`',
    introduction: `With \`load\`, \`seed\` and the corpus of \`run.json\` the same arrivals are made again, which is what
\`transcribench replay\` does.`,
  },
  {
    name: 'journal',
    title: '`journal.jsonl`',
    introduction: `\`attempt\` counts the attempts of a request from 1. Further attempts have four causes: the config's \`retries\`, a
rate limit that was waited out, a request that was dropped in flight before the run was resumed, and the warm-up of a resumed
run. The last one decides the result of the request. \`latency_ms\` of \`utterances.csv\` counts from the first attempt of the last
one's segment, waits included; \`first_attempt_ms\` is that first attempt alone, and \`attempts\` the number of them.

\`\`\`
dueAtMs ──send lag──► sentAtMs ──► firstByteAtMs ──► endedAtMs
└─────── response time ──────────────────────────────────┘
                      └──────── service time ────────────┘
\`\`\`

Only the phase \`measure\` is ever averaged. A time that an attempt was held back because the server asked for a pause is in no
latency: latency then counts from the last attempt that was sent after a pause.`,
  },
  {
    name: 'reused',
    title: '`reused.jsonl`',
    introduction: `Written with \`--reuse\`. These requests were not sent, and the journal has no line of them. Their answers are in the
error rates, and in no latency, speed or cost.`,
  },
  {
    name: 'modes',
    title: '`modes.jsonl`',
    introduction: `Each line is written before the API is asked (\`creating\`, \`patching\`) or after it has answered (\`created\`,
\`released\`, …). The last line of a lease says whether anything is left to undo.`,
  },
  {
    name: 'staged',
    title: '`staged.jsonl`',
    introduction: 'Each line is written before what it reports is done.',
  },
  {
    name: 'telemetry',
    title: '`telemetry.jsonl`',
    introduction: `Graphics processors are there where \`nvidia-smi\` or \`amd-smi\` is. Counters may begin anew in each segment of a resumed run.`,
  },
  {
    name: 'evaluation',
    title: '`evaluation.json`',
    introduction: `The scored result of a run: every report renders this document. Counts are over all scored requests, repeats over the
rounds included, unless they say "utterance". A figure with \`rate\`, \`numerator\`, \`denominator\`, \`interval\`, \`noIntervalReason\`
means the same everywhere. Each utterance is on a line by itself, so that a large document can be read line by line.

\`transcribench score <run>\` writes next to the journal what other rules make of it:
\`evaluation.<profile>.<fingerprint>.json\`, with a report, a summary and tables of like names. The fingerprint is the beginning of
\`scoring.fingerprint\`. The report has \`<profile>.<fingerprint>\` in its title, \`summary.csv\` in its column \`score\`, and every
screen lists the files of the score that it shows. \`transcribench report <run> --scores\` lists them, \`--score <name>\` shows one;
without it the newest is shown.`,
  },
  {
    name: 'comparison',
    title: 'A comparison',
    introduction:
      'What `transcribench compare --json` prints. Both sides are scored again with the same rules.',
  },
  {
    name: 'experiment',
    title: 'An experiment',
    introduction: 'What `transcribench experiment --json` prints.',
  },
  {
    name: 'history',
    title: 'A history',
    introduction: 'What `transcribench history --json` prints.',
  },
  {
    name: 'capacity',
    title: 'A capacity',
    introduction:
      'What `transcribench capacity --json` prints, and keeps next to its run. How to read it: [sizing.md](sizing.md).',
  },
  {
    name: 'calibration',
    title: 'A calibration',
    introduction: 'What `transcribench calibrate --json` prints.',
  },
  {
    name: 'calibrations',
    title: '`calibrations.json`',
    introduction:
      'In the folder of results: what `transcribench calibrate` measured, for later comparisons. Replaced as a whole.',
  },
  {
    name: 'baselines',
    title: '`baselines.json`',
    introduction: 'In the folder of results: what `transcribench baseline set` named. Replaced as a whole.',
  },
  {
    name: 'text-score',
    title: 'A score of texts',
    introduction: 'What `transcribench wer --json` prints of one file of hypotheses.',
  },
  {
    name: 'systems-score',
    title: 'Scores of several systems',
    introduction: 'What `transcribench wer --json` prints of several files of hypotheses.',
  },
]

/** The end of `docs/results-format.md`. */
export const closing = `## Corrections of references

A file of corrections is JSON Lines, \`corrections.jsonl\` next to a corpus's manifest unless another one is named; lines are added,
never changed: \`{"utteranceId", "before", "after", "when", "by", "seen": "seen" | "blind"}\`. A line with the same text before and
after confirms a reference as it is. A correction counts where \`before\` is the run's reference or the result of an earlier
correction; the last one wins; others are reported as stale. \`transcribench score\` and \`transcribench compare\` take such a file by
\`--corrections\`.

## Errors as JSON

With \`--json\` (or \`--format json\`) stdout is one JSON document in every case. A failure, a misspelt option included, is
\`{"error": {"code", "message", "hint", "problems": [{"where", "what", "hint"}], "exitCode"}}\`; \`transcribench explain <code>\`
explains it.

## CSV

RFC 4180, UTF-8, one header row, units in the column names. A cell of text that a spreadsheet would take for a formula
begins with an apostrophe. Further tables by name:
\`transcribench report <run> --format csv --table <name>\`.

\`\`\`
${detailNames.join('\n')}
\`\`\`
`
