import type { JSX } from 'preact'
import { counted, type ProvenanceEntry, type ProvenanceGroup, type RunPage } from '#reports/page'
import { rateMetrics } from '#scoring'
import { Figure, Section } from '../layout.tsx'

/** How the figures were measured, and how to reproduce them. */
export function Provenance({ page }: { readonly page: RunPage }): JSX.Element {
  return (
    <Section id="provenance" title="Provenance">
      <div class="figures">
        {page.provenance.map((group) => (
          <Group group={group} key={group.title} />
        ))}
        <Figure title="To make it again">
          <pre>
            <code>{page.reproduce.join('\n')}</code>
          </pre>
          <p class="note">
            Definitions of all figures:{' '}
            <code>transcribench explain {rateMetrics[page.evaluation.profile.leads]}</code>, and the page{' '}
            <code>docs/metrics.md</code>.
          </p>
        </Figure>
      </div>
    </Section>
  )
}

/** What differs from the defaults, and the defaults folded away. */
function Group({ group: { title, entries } }: { readonly group: ProvenanceGroup }): JSX.Element {
  const defaults = entries.filter(({ source }) => source === 'default')
  const others = entries.filter(({ source }) => source !== 'default')
  return (
    <Figure title={title}>
      <Entries entries={others} />
      {defaults.length === 0 ? null : (
        <details>
          <summary>
            {others.length === 0 ? 'All ' : ''}
            {counted(defaults.length, 'setting')} at the default
          </summary>
          <Entries entries={defaults} />
        </details>
      )}
    </Figure>
  )
}

function Entries({ entries }: { readonly entries: readonly ProvenanceEntry[] }): JSX.Element {
  return (
    <dl>
      {entries.map(({ name, value, source }) => (
        <div key={`${name} ${value}`}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <bdi>{value}</bdi>
            {source === null || source === 'default' ? null : <span class="quiet"> {source}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
