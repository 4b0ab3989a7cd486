import type { JSX } from 'preact'
import type { RunPage } from '../html/page-document.ts'
import { Accuracy } from './accuracy.tsx'
import { Answer } from './answer.tsx'
import { Nav, type NavEntry } from './layout.tsx'
import { Provenance } from './provenance.tsx'
import { Speed } from './speed.tsx'
import { Tradeoff } from './tradeoff.tsx'
import { Utterances } from './utterances/utterances.tsx'

const sections: readonly NavEntry[] = [
  { id: 'answer', title: 'Answer' },
  { id: 'accuracy', title: 'Accuracy' },
  { id: 'speed', title: 'Speed' },
  { id: 'tradeoff', title: 'Accuracy against speed' },
  { id: 'utterances', title: 'Utterances' },
  { id: 'provenance', title: 'Provenance' },
]

/** The page of one run, from the answer down to how it was made. */
export function RunView({ page }: { readonly page: RunPage }): JSX.Element {
  return (
    <>
      <Nav entries={sections} />
      <Answer page={page} />
      <Accuracy page={page} />
      <Speed page={page} />
      <Tradeoff page={page} />
      <Utterances page={page} />
      <Provenance page={page} />
    </>
  )
}
