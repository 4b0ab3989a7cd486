import type { JSX } from 'preact'
import type { Verdict } from '#analysis/documents/contender-comparison'
import type { ComparisonPage, ExperimentPage, ComparedContender as ShownContender } from '#reports/page'
import { ComparedContender } from './compared-contender.tsx'
import { BigFigures, DataTable, Figure, Name, NameList, Parts, Section } from './layout.tsx'
import { type Chip, type FindingLinks, Head } from './warnings.tsx'

/** A comparison: the answer, every pair of contenders, and the conditions of both sides. */
export function ComparisonView({ page }: { readonly page: ComparisonPage }): JSX.Element {
  const pairs = page.contenders.map((shown, index) => {
    const [id, figures] = [`pair-${index}`, page.comparison.contenders[index]]
    return {
      id,
      title: shown.title,
      draw: () => <ComparedContender id={id} shown={shown} figures={figures} hasTexts={page.hasTexts} />,
    }
  })
  const conditions = {
    id: 'conditions',
    title: 'How it was measured',
    draw: () => <Conditions page={page} id="conditions" />,
  }
  return <Parts answer={<ComparisonHead page={page} />} parts={[...pairs, conditions]} />
}

/** Text next to the heading of a comparison or an experiment. */
const chips: Readonly<Record<ComparisonPage['answer']['state'], Chip>> = {
  invalid: { tone: 'bad', text: '✗ not valid' },
  failed: { tone: 'bad', text: '✗ threshold failed' },
  worse: { tone: 'bad', text: '✗ worse' },
  better: { tone: 'good', text: '✓ better' },
  equivalent: { tone: 'good', text: '~ equivalent' },
  unresolved: { tone: 'caution', text: '? unresolved' },
}

/** Sections of the page with details of a finding, by its code. */
const links: FindingLinks = {
  CONDITIONS_DIFFER: { id: 'conditions', title: 'Conditions' },
  SETTINGS_DIFFER: { id: 'conditions', title: 'Conditions' },
  HOST_SPEED_DIFFERS: { id: 'conditions', title: 'Conditions' },
}

function ComparisonHead({ page }: { readonly page: ComparisonPage }): JSX.Element {
  const { answer, comparison, thresholds, scored } = page
  const { base, run } = comparison
  return (
    <Head
      overline={
        <>
          Comparison · <Name>{sideText(base)}</Name> → <Name>{sideText(run)}</Name>
        </>
      }
      chip={chips[answer.state]}
      answer={answer.sentence}
      facts={<>both scored again as {scored}, paired by utterance</>}
      warnings={comparison.findings}
      links={links}
    >
      <FirstDifferences contenders={page.contenders} />
      {thresholds === null ? null : <DataTable label="Thresholds" table={thresholds} />}
    </Head>
  )
}

function sideText({ id, runs }: ComparisonPage['comparison']['base']): string {
  return runs.length === 1 ? id : `${id} and ${runs.length - 1} more`
}

/** The conditions that both sides share, and those that differ. */
function Conditions({ page, id }: { readonly page: ComparisonPage; readonly id: string }): JSX.Element {
  const { profile, family, seed, unpairedContenders } = page.comparison
  return (
    <Section id={id} title="How it was measured">
      <DataTable label="Conditions of both sides" table={page.conditions} />
      <p class="note">
        Profile {profile.id} ({profile.fingerprint.slice(0, 12)}) · seed {seed} · {family.comparisonCount}{' '}
        {family.comparisonCount === 1 ? 'verdict' : 'verdicts'}, sure together at {family.confidence * 100}%.
      </p>
      {unpairedContenders.length === 0 ? null : (
        <Figure title="Not compared">
          <ul class="named">
            {unpairedContenders.map(({ side, id: contenderId }) => (
              <li key={side + contenderId}>
                <Name>{contenderId}</Name> <span class="quiet">only in {side}</span>
              </li>
            ))}
          </ul>
        </Figure>
      )}
    </Section>
  )
}

/** An experiment: its answers, then every side against the first. */
export function ExperimentView({ page }: { readonly page: ExperimentPage }): JSX.Element {
  const [base, ...others] = page.sides
  const parts = page.comparisons.flatMap((comparison, index) => {
    const name = others[index]?.name
    const conditions = `conditions-${index}`
    return [
      ...comparison.contenders.map((compared, at) => {
        const id = `side-${index}-${at}`
        const title = `${name ?? ''} against ${base?.name ?? ''}: ${compared.title}`
        return {
          id,
          title: name ?? compared.title,
          draw: () => (
            <ComparedContender
              id={id}
              shown={{ ...compared, title }}
              figures={comparison.comparison.contenders[at]}
              hasTexts={comparison.hasTexts}
            />
          ),
        }
      }),
      {
        id: conditions,
        title: page.comparisons.length === 1 ? 'How it was measured' : `How ${name ?? ''} was measured`,
        draw: () => <Conditions page={comparison} id={conditions} />,
      },
    ]
  })
  return <Parts answer={<ExperimentHead page={page} />} parts={parts} end={<Runs page={page} />} />
}

function ExperimentHead({ page }: { readonly page: ExperimentPage }): JSX.Element {
  const { answers, comparisons, ending, state, drift } = page
  return (
    <Head
      overline="Experiment"
      chip={chips[state]}
      answer={answers[0] ?? 'Not one pass was completed, so nothing can be said.'}
      facts={
        <>
          stopped: {ending}
          {drift === null ? null : <bdi> · {drift}</bdi>}
        </>
      }
      warnings={comparisons.flatMap(({ comparison }) => comparison.findings)}
    >
      <FirstDifferences contenders={shownFirst(page)} />
      <NameList names={answers.slice(1)} look="answers" />
    </Head>
  )
}

/** Each further side against the first, with the names of the sides if there are several. */
function shownFirst({ comparisons, sides }: ExperimentPage): readonly ShownContender[] {
  return comparisons.flatMap(({ contenders }, index) =>
    contenders.map((compared) => ({
      ...compared,
      title: `${sides[index + 1]?.name ?? ''}: ${compared.title}`,
    })),
  )
}

/** The runs of each side, and the command that shows the experiment again. */
function Runs({ page: { sides, again } }: { readonly page: ExperimentPage }): JSX.Element {
  return (
    <Section id="runs" title="Runs">
      <div class="figures">
        {sides.map(({ name, runIds }) => (
          <Figure title={name} key={name}>
            {runIds.length === 0 ? <p class="quiet">None.</p> : null}
            <NameList names={runIds} />
          </Figure>
        ))}
        {again.length === 0 ? null : (
          <Figure title="To see it again" isWide>
            <pre>
              <code>{again.join('\n')}</code>
            </pre>
          </Figure>
        )}
      </div>
    </Section>
  )
}

/** Rows shown first after the leading rate; the table has the others. */
const firstRows = ['latency p50', 'latency p95', 'speed']

/** CSS class that colours a verdict, which also has a sign and a word. */
function verdictTone(verdict: Verdict | null): string {
  if (verdict === 'better') return 'good'
  if (verdict === 'worse') return 'bad'
  return verdict === 'unresolved' ? 'caution' : ''
}

/** The main differences of the first pairs of contenders. */
function FirstDifferences(props: { readonly contenders: readonly ShownContender[] }): JSX.Element {
  const { contenders } = props
  return (
    <BigFigures
      label="The main differences"
      noun="pairs"
      groups={contenders.map(({ title, rows }) => ({
        key: title,
        name: contenders.length === 1 ? null : <Name>{title}</Name>,
        figures: rows
          .filter(({ name }, place) => place === 0 || firstRows.includes(name))
          .map(({ name, base, run, difference, verdict, verdictOf, absence }) => ({
            label: name,
            value: difference,
            detail:
              absence !== '' ? (
                absence
              ) : (
                <>
                  {base} → {run}
                  <br />
                  <span class={verdictTone(verdictOf)}>{verdict}</span>
                </>
              ),
          })),
      }))}
    />
  )
}
