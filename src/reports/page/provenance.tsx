import type { JSX } from 'preact'
import type { RunPage } from '../html/page-document.ts'
import { Figure, Section } from './layout.tsx'

/** How the figures came to be, and how to make them again. */
export function Provenance({ page }: { readonly page: RunPage }): JSX.Element {
  return (
    <Section id="provenance" title="Provenance">
      <div class="figures">
        {page.provenance.map(({ title, entries }) => (
          <Figure title={title} key={title}>
            <dl>
              {entries.map(({ name, value, source }) => (
                <div key={name}>
                  <dt>
                    <bdi>{name}</bdi>
                  </dt>
                  <dd>
                    <bdi>{value}</bdi>
                    {source === null ? null : <span class="quiet"> {source}</span>}
                  </dd>
                </div>
              ))}
            </dl>
          </Figure>
        ))}
        <Figure title="To make it again">
          <pre>
            <code>{page.reproduce.join('\n')}</code>
          </pre>
          <p class="note">
            Definitions of all figures: <code>asrbench explain wer</code>, and the page{' '}
            <code>docs/metrics.md</code>.
          </p>
        </Figure>
      </div>
    </Section>
  )
}
