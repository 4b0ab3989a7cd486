import type { ResolvedContender } from '../../requests/resolved-run.ts'
import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

/** What a transcription server was asked for other than plain `json`, and what it would not give. */
export const answerFormat = {
  code: 'ANSWER_FORMAT',
  severity: 'note',
  meaning:
    'A transcription server is asked for response_format=json. It is asked for verbose_json where the corpus has times to score, ' +
    'or where the option response_format says so: some servers then decode with times, which takes longer and may give another ' +
    'text. A server that refuses a format is asked for the next simpler one (verbose_json, json, text), once; the refused ' +
    'requests are in no latency.',
  detect: ({ scored }) => scored.flatMap(({ resolved }) => observe(resolved)),
} satisfies RunFinding

function observe({
  contender,
  sendings,
  warmup,
}: ResolvedContender): readonly { readonly message: string }[] {
  const counts = new Map<string, number>()
  for (const { outcome } of sendings) {
    const format = outcome.ok ? outcome.answer.format : undefined
    if (format !== undefined) counts.set(format, (counts.get(format) ?? 0) + 1)
  }
  const isRefused = [...warmup, ...sendings].some(({ resentFor }) => resentFor?.includes('format') === true)
  return [...counts].map(([format, count]) => {
    const asked = `${counted(count, 'answer')} of ${contender.id} ${count === 1 ? 'was' : 'were'} asked for in ${format}`
    if (format === 'verbose_json') {
      const why =
        contender.options?.['response_format'] === format ? 'as its options say' : 'because times are scored'
      return { message: `${asked}, ${why}: the server may take longer than for json, and give another text` }
    }
    const why = isRefused ? 'because the server refuses fuller formats' : 'as its options say'
    return { message: `${asked}, ${why}: without times${format === 'text' ? ' and language' : ''}` }
  })
}
