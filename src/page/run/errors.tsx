import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ContenderAnalysis } from '#analysis/documents/error-analysis'
import type { Breakdown } from '#analysis/documents/error-rates'
import type { Evaluation } from '#analysis/documents/evaluation'
import {
  capitalised,
  counted,
  formatCount,
  formatPercent,
  orAbsent,
  pathologyNames,
  type RunPage,
  rateWords,
} from '#reports/page'
import { RowPlot, type RowPlotProps, tickPercent } from '../charts.tsx'
import {
  Choice,
  ContenderName,
  Figure,
  Fold,
  Name,
  pickColour,
  ScrollRegion,
  Section,
  Spoken,
  TableFigure,
} from '../layout.tsx'
import { utteranceAddress } from '../utterances/library.ts'
import { useRun } from './shown-run.tsx'

/** The errors: their words, their context, and the share that is formatting. */
export function Errors(): JSX.Element {
  const { page, evaluation } = useRun()
  const { entities, times } = page.tables
  return (
    <Section
      id="errors"
      title="What goes wrong"
      lead={
        hasPathologies(evaluation)
          ? undefined
          : 'No hallucination, loop, truncation, empty answer or wrong script was found.'
      }
    >
      <div class="figures">
        {page.hasTexts ? <Confusions /> : null}
        <Ladder />
        <Pathologies />
        <Doubts />
      </div>
      <Breakdowns />
      {entities && <TableFigure {...entities} />}
      {times && <TableFigure {...times} />}
    </Section>
  )
}

const listedConfusions = 12

type SuspectReference = Evaluation['audit']['suspects'][number]

function Confusions(): JSX.Element {
  const { contenders, evaluation } = useRun()
  const [chosen, setChosen] = useState(contenders[0]?.index ?? 0)
  const table = evaluation.errorAnalyses[chosen]?.confusions.phrases
  const all = [...(table?.substitutions ?? []), ...(table?.deletions ?? []), ...(table?.insertions ?? [])]
  const listed = all.toSorted((a, b) => b.count - a.count).slice(0, listedConfusions)
  return (
    <Figure
      title="Most often wrong"
      note={
        <Choice
          label="of"
          value={chosen}
          options={contenders.map(({ index, id }) => ({ value: index, name: id }))}
          onChoose={setChosen}
        />
      }
    >
      {listed.length === 0 ? (
        <p class="quiet">Nothing.</p>
      ) : (
        <ol class="named confusions">
          {listed.map(({ reference, hypothesis, count, utteranceIds }) => (
            <li key={JSON.stringify([reference, hypothesis])}>
              <span class="times">{formatCount(count)} ×</span>
              <span>
                <Spoken word={reference} /> → <Spoken word={hypothesis} />{' '}
                <Examples utterances={utteranceIds.slice(0, 3).map((id) => ({ id }))} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Figure>
  )
}

interface ExamplesProps {
  readonly utterances: readonly { readonly id: string; readonly detail?: string }[]
}

/** Links to utterances to listen to. */
function Examples({ utterances }: ExamplesProps): JSX.Element {
  return (
    <small>
      {utterances.map(({ id, detail }) => (
        <a href={utteranceAddress(id)} title={detail} key={id}>
          <Name>{id}</Name>
        </a>
      ))}
    </small>
  )
}

const rungNames: Readonly<Record<ContenderAnalysis['ladder'][number]['rung'], string>> = {
  'as written': 'as written',
  capitals: 'without capitals',
  punctuation: 'nor punctuation',
  'numbers and contractions': 'nor numbers and contractions',
  spellings: 'nor spellings',
}

/** The share of the errors that is formatting. */
function Ladder(): JSX.Element | null {
  const { contenders, evaluation } = useRun()
  const ladders = contenders.map(({ index, id }) => ({
    index,
    id,
    rungs: evaluation.errorAnalyses[index]?.ladder ?? [],
  }))
  const [longest] = ladders.toSorted((a, b) => b.rungs.length - a.rungs.length)
  const rungs = longest?.rungs.map(({ rung }) => rung) ?? []
  if (rungs.length === 0) return null
  return (
    <Figure
      title="Formatting errors"
      note="Errors in a hundred words when case, punctuation, numbers and spellings cease to count, one after the other, by the rules of each language. Languages written without spaces are not counted."
      isWide={contenders.length > 3}
    >
      <ScrollRegion label="Errors by what counts">
        <table class="ladder">
          <thead>
            <tr>
              <th scope="col">counted</th>
              {ladders.map(({ index, id }) => (
                <th scope="col" class="number contender-column" title={id} key={id}>
                  <ContenderName index={index} id={id} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rungs.map((rung, at) => (
              <tr key={rung}>
                <th scope="row">{rungNames[rung]}</th>
                {ladders.map(({ id, rungs: contenderRungs }) => (
                  <td class="number" key={id}>
                    {orAbsent(contenderRungs[at]?.rate ?? null, formatPercent)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Figure>
  )
}

/** References that may be wrong themselves. */
function Doubts(): JSX.Element | null {
  const { suspectCount, suspects, selfReferences } = useRun().evaluation.audit
  if ((suspectCount ?? 0) === 0 && selfReferences.length === 0) return null
  return (
    <Figure
      id="doubts"
      title="References in doubt"
      note="Where all contenders agree with each other and not with the reference, the reference is probably wrong. transcribench review corrects it."
    >
      <ul class="named">
        {selfReferences.map(({ contenderId, identicalCount, comparedCount }) => (
          <li class="caution" key={contenderId}>
            The references are <Name>{contenderId}</Name>’s own text in {formatCount(identicalCount)} of{' '}
            {counted(comparedCount, 'utterance')}: it cannot but win.
          </li>
        ))}
        {suspects.slice(0, listedConfusions).map((suspect) => (
          <Suspect suspect={suspect} key={suspect.id} />
        ))}
      </ul>
      {suspects.length <= listedConfusions ? null : (
        <Fold title={`${formatCount(suspects.length - listedConfusions)} more`}>
          <ul class="named">
            {suspects.slice(listedConfusions).map((suspect) => (
              <Suspect suspect={suspect} key={suspect.id} />
            ))}
          </ul>
        </Fold>
      )}
      {suspects.length < (suspectCount ?? 0) ? (
        <p class="quiet">{formatCount(suspectCount ?? 0)} in all.</p>
      ) : null}
    </Figure>
  )
}

function Suspect({ suspect }: { readonly suspect: SuspectReference }): JSX.Element {
  const { id, agreedText, errors } = suspect
  return (
    <li>
      <a href={utteranceAddress(id)}>
        <Name>{id}</Name>
      </a>{' '}
      {counted(errors, 'error')}: all heard <q dir="auto">{agreedText}</q>
    </li>
  )
}

const titles: Readonly<Record<Breakdown['by'], string>> = {
  duration: 'By length of the audio',
  language: 'By language',
  speaker: 'By speaker',
  tag: 'By tag',
  source: 'By source',
}

const listedGroups = 24
/** Maximum number of unfolded groups; more would leave half of the page next to them empty. */
const openGroups = 8

function Breakdowns(): JSX.Element | null {
  const { errorAnalyses } = useRun().evaluation
  const kinds = (Object.keys(titles) as Breakdown['by'][]).filter((kind) =>
    errorAnalyses.some(({ breakdowns }) =>
      breakdowns.some(({ by, groups }) => by === kind && groups.length > 1),
    ),
  )
  if (kinds.length === 0) return null
  return (
    <div class="figures">
      {kinds.map((kind) => (
        <BreakdownFigure kind={kind} key={kind} />
      ))}
    </div>
  )
}

function BreakdownFigure({ kind }: { readonly kind: Breakdown['by'] }): JSX.Element {
  const { contenders, evaluation, leads, leading } = useRun()
  const { long, unit } = leading
  const breakdowns = contenders.map(({ index, id }) => ({
    index,
    id,
    breakdown: evaluation.errorAnalyses[index]?.breakdowns.find(({ by }) => by === kind) ?? null,
  }))
  const first = breakdowns.find(({ breakdown }) => breakdown !== null)?.breakdown
  const groups = first?.groups.slice(0, listedGroups) ?? []
  const rateOf = (breakdown: Breakdown | null, name: string | null): number | null => {
    const group = breakdown?.groups.find((each) => each.name === name)
    const level = group?.profile?.leads ?? leads
    return (level === 'words' ? group?.words.rate : group?.characterErrorRate) ?? null
  }
  const end = Math.max(
    0,
    ...breakdowns.flatMap(({ breakdown }) => groups.flatMap(({ name }) => rateOf(breakdown, name) ?? [])),
  )
  const isFew = contenders.length <= 3
  const isMixed = groups.some(({ profile }) => profile !== undefined && profile.leads !== leads)
  const rate = isMixed ? 'The rate that leads for each language, WER or CER,' : capitalised(long)
  return (
    <Figure
      title={titles[kind]}
      note={`${rate} of each contender. Groups of fewer than 20 utterances are in grey: they say little.`}
    >
      <FoldedRows
        label={titles[kind]}
        end={end}
        units={isMixed ? 'words or characters' : `${unit}s`}
        rows={groups.map(({ name, utteranceCount, isSmall, profile }) => ({
          key: name ?? ' ',
          name: (
            <span class={isSmall ? 'group quiet' : 'group'} title={counted(utteranceCount, 'utterance')}>
              <bdi>{name ?? 'unknown'}</bdi>{' '}
              <small>
                {formatCount(utteranceCount)}
                {profile === undefined ? '' : ` ${rateWords[profile.leads].short} ${profile.id}`}
              </small>
            </span>
          ),
          value: isFew ? (
            <small class="rates">
              {breakdowns.map(({ breakdown }) => orAbsent(rateOf(breakdown, name), formatPercent)).join('  ')}
            </small>
          ) : (
            <span class="unseen">
              {breakdowns
                .map(({ id, breakdown }) => `${id} ${orAbsent(rateOf(breakdown, name), formatPercent)}`)
                .join(', ')}
            </span>
          ),
          draw: (place, height) =>
            breakdowns.map(({ index, id, breakdown }) => {
              const rate = rateOf(breakdown, name)
              return rate === null ? null : (
                <circle
                  class={`dot ${pickColour(index)}`}
                  cx={place(rate)}
                  cy={height / 2}
                  r={4}
                  opacity={isSmall ? 0.45 : 0.9}
                  key={id}
                >
                  <title>{`${id}: ${formatPercent(rate)}`}</title>
                </circle>
              )
            }),
        }))}
      />
      {(first?.groupCount ?? 0) > groups.length ? (
        <p class="quiet">
          The {groups.length} with the most words of {formatCount(first?.groupCount ?? 0)}; all of them are in
          evaluation.json.
        </p>
      ) : null}
    </Figure>
  )
}

/** The first rows, and the others folded, on axes of one length. */
interface FoldedRowsProps extends Pick<RowPlotProps, 'label' | 'end' | 'rows'> {
  /** What errors are counted in: words. */
  readonly units: string
}

function FoldedRows({ units, ...props }: FoldedRowsProps): JSX.Element {
  const axis = { formatTick: tickPercent, axisTitle: `errors in a hundred ${units}` }
  const others = props.rows.slice(openGroups)
  return (
    <>
      <RowPlot {...props} {...axis} rows={props.rows.slice(0, openGroups)} />
      {others.length === 0 ? null : (
        <Fold title={`${formatCount(others.length)} more`}>
          <RowPlot {...props} {...axis} rows={others} />
        </Fold>
      )}
    </>
  )
}

/** Whether any answer has degenerate output, which differs from ordinary errors. */
function hasPathologies({ errorAnalyses }: RunPage['evaluation']): boolean {
  return errorAnalyses.some(
    ({ pathologies, flakiness }) =>
      pathologies.some(({ rate }) => rate.numerator > 0) || (flakiness?.rate.numerator ?? 0) > 0,
  )
}

/** Kinds of degenerate output, which an error rate does not separate from ordinary errors, with examples to listen to. */
function Pathologies(): JSX.Element | null {
  const { contenders, evaluation } = useRun()
  if (!hasPathologies(evaluation)) return null
  const found = contenders.flatMap(({ index, id }) =>
    (evaluation.errorAnalyses[index]?.pathologies ?? [])
      .filter(({ rate }) => rate.numerator > 0)
      .map((pathology) => ({ index, id, ...pathology })),
  )
  const unstable = contenders.flatMap(({ index, id }) => {
    const flakiness = evaluation.errorAnalyses[index]?.flakiness ?? null
    return flakiness === null || flakiness.rate.numerator === 0 ? [] : [{ index, id, ...flakiness }]
  })
  return (
    <Figure
      title="Hallucinations, loops and truncations"
      note="Utterances with degenerate output, found by rules. Point at a kind for its rule; listen to the examples."
    >
      <ul class="named">
        {found.map(({ index, id, kind, rule, rate, examples }) => (
          <li key={`${id} ${kind}`}>
            <ContenderName index={index} id={id} /> <span title={rule}>{pathologyNames[kind]}</span>:{' '}
            {formatCount(rate.numerator)} of {formatCount(rate.denominator)}
            {rate.rate === null ? '' : ` (${formatPercent(rate.rate)})`}{' '}
            <Examples
              utterances={examples.slice(0, 4).map(({ utteranceId: id, detail }) => ({ id, detail }))}
            />
          </li>
        ))}
        {unstable.map(({ index, id, rate, unstableIds }) => (
          <li key={id}>
            <ContenderName index={index} id={id} /> another text when asked again:{' '}
            {formatCount(rate.numerator)} of {formatCount(rate.denominator)}{' '}
            <Examples utterances={unstableIds.slice(0, 4).map((id) => ({ id }))} />
          </li>
        ))}
      </ul>
    </Figure>
  )
}
