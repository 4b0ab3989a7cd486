import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import { inRankOrder, type RunPage, rateWords } from '#reports/page'
import { ColouredContenders } from '../layout.tsx'

/** A contender with its index in the config, which determines its colour. */
export interface PlacedContender {
  readonly index: number
  readonly id: string
  readonly figures: ContenderEvaluation
}

const ShownRun = createContext<ReturnType<typeof readRun> | null>(null)

function readRun(page: RunPage) {
  const { evaluation } = page
  const { leads } = evaluation.profile
  const ids = evaluation.contenders.map(({ contender }) => contender.id)
  const contenders = inRankOrder(evaluation).map((figures): PlacedContender => {
    const { id } = figures.contender
    return { index: ids.indexOf(id), id, figures }
  })
  /** `contenders` are in the order of the ranking, the best first; `leading` are the words of the leading rate. */
  return { page, evaluation, ids, contenders, leads, leading: rateWords[leads] }
}

/** Provides the shown run to all sections of a page. */
export function RunProvider(props: {
  readonly page: RunPage
  readonly children: ComponentChildren
}): JSX.Element {
  const run = useMemo(() => readRun(props.page), [props.page])
  return (
    <ShownRun.Provider value={run}>
      <ColouredContenders.Provider value={run.ids}>{props.children}</ColouredContenders.Provider>
    </ShownRun.Provider>
  )
}

/** The run that the page shows. */
export function useRun(): ReturnType<typeof readRun> {
  const run = useContext(ShownRun)
  if (run === null) throw new TypeError('a section of a run is outside of its page')
  return run
}
