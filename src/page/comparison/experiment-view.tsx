import type { JSX } from 'preact'
import type { ExperimentPage, ComparedContender as ShownContender } from '#reports/page'
import { Head } from '../head.tsx'
import { Figure, Name, Nav, type NavEntry, Section } from '../layout.tsx'
import { useStages } from '../run/stages.ts'
import { ComparedContender } from './compared-contender.tsx'
import { Conditions, chips } from './comparison-view.tsx'
import { FirstDifferences } from './first-differences.tsx'

/** An experiment: its answers, then every side against the first. */
export function ExperimentView({ page }: { readonly page: ExperimentPage }): JSX.Element {
  const { answers, comparisons, ending, state, drift, sides } = page
  const [base, ...others] = sides
  const parts = comparisons.flatMap((comparison, index) => [
    ...comparison.contenders.map((compared, at) => ({
      id: `side-${index}-${at}`,
      title: others[index]?.name ?? compared.title,
      draw: (id: string) => (
        <ComparedContender
          id={id}
          shown={{
            ...compared,
            title: `${others[index]?.name ?? ''} against ${base?.name ?? ''}: ${compared.title}`,
          }}
          figures={comparison.comparison.contenders[at]}
          hasTexts={comparison.hasTexts}
          key={id}
        />
      ),
    })),
    {
      id: `conditions-${index}`,
      title:
        comparisons.length === 1 ? 'How it was measured' : `How ${others[index]?.name ?? ''} was measured`,
      draw: (id: string) => <Conditions page={comparison} id={id} key={id} />,
    },
  ])
  const entries: readonly NavEntry[] = [{ id: 'answer', title: 'Answer' }, ...parts]
  const drawn = useStages(entries.length)
  return (
    <>
      <Nav entries={entries} isReady={drawn === entries.length} />
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
        {answers.length < 2 ? null : (
          <ul class="answers">
            {answers.slice(1).map((answer) => (
              <li key={answer}>
                <Name>{answer}</Name>
              </li>
            ))}
          </ul>
        )}
      </Head>
      {parts.slice(0, drawn - 1).map(({ id, draw }) => draw(id))}
      {drawn < entries.length ? null : <Runs page={page} />}
    </>
  )
}

/** Each further side against the first, with the names of the sides where there are several. */
function shownFirst({ comparisons, sides }: ExperimentPage): readonly ShownContender[] {
  return comparisons.flatMap(({ contenders }, index) =>
    contenders.map((compared) => ({
      ...compared,
      title: `${sides[index + 1]?.name ?? ''}: ${compared.title}`,
    })),
  )
}

/** Which runs each side has, and how to see it again. */
function Runs({ page: { sides, again } }: { readonly page: ExperimentPage }): JSX.Element {
  return (
    <Section id="runs" title="Runs">
      <div class="figures">
        {sides.map(({ name, runIds }) => (
          <Figure title={name} key={name}>
            {runIds.length === 0 ? <p class="quiet">None.</p> : null}
            <ol class="named">
              {runIds.map((id) => (
                <li key={id}>
                  <Name>{id}</Name>
                </li>
              ))}
            </ol>
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
