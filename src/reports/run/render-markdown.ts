import type { Evaluation } from '#analysis'
import { markdownTable, markdownText } from '../layout/markdown.ts'
import { answerSentence } from './answer.ts'
import { absenceNotes } from './columns/absence-notes.ts'
import { contenderRows, summaryColumns } from './columns/contender-tables.ts'
import { detailNames, detailTables } from './details/details.ts'
import { sharedFacts } from './shared-facts.ts'
import { findingText } from './words/findings.ts'
import { placesMeaning, placesText } from './words/ranking-line.ts'
import { incomparableNotes } from './words/speed-words.ts'

const signs = { invalid: '✗', decisive: '!', warning: '~', note: '·' } as const

/** A run as Markdown for a pull request or a wiki: the answer, the table, what weakens it, and the details folded away. */
export function renderMarkdown(evaluation: Evaluation): string {
  const { run, profile, scoring } = evaluation
  const [decisive, others] = [true, false].map((isDecisive) =>
    evaluation.findings
      .filter(({ severity }) => (severity === 'decisive') === isDecisive)
      .map((finding) => `- ${signs[finding.severity]} ${markdownText(findingText(finding))}`)
      .join('\n'),
  )
  const details = detailTables(evaluation, detailNames).map(
    (table) =>
      `<details><summary>${markdownText(table.title)}</summary>\n\n${table.toMarkdown().trim()}\n\n</details>`,
  )
  const blocks = [
    `### ${markdownText(run.name)}`,
    `**${markdownText(answerSentence(evaluation))}**`,
    decisive ?? '',
    markdownTable(summaryColumns(evaluation), contenderRows(evaluation)),
    placesParagraph(evaluation),
    [...incomparableNotes(evaluation.speeds), ...absenceNotes(evaluation, [])].map(markdownText).join('; '),
    markdownText(sharedFacts(evaluation)),
    others ?? '',
    details.join('\n'),
    `<sub>run ${markdownText(run.id)} · ${markdownText(profile.id)} ${profile.fingerprint.slice(0, 12)} · ` +
      `score ${scoring.fingerprint.slice(0, 12)} · seed ${evaluation.seed} · transcribench ${run.programVersion}</sub>`,
  ]
  return blocks.filter((block) => block !== '').join('\n\n')
}

function placesParagraph({ ranking }: Evaluation): string {
  const places = placesText(ranking)
  return ranking === null || places === null
    ? ''
    : markdownText(`Places ${placesMeaning(ranking)}: ${places}`)
}
