import type { RunFacts } from './run-facts.ts'

type EndingFacts = Pick<RunFacts, 'material' | 'contenders'>

export function isGivenUp(contenderId: string, { material: { record } }: EndingFacts): boolean {
  return (record.givenUp ?? []).some(({ id }) => id === contenderId)
}

/** Whether all that ended the run early was that contenders were given up, and others were measured. */
export function onlyGivenUp(facts: EndingFacts): boolean {
  const { record } = facts.material
  if (record.ending?.code !== 'TARGET_FAILING' || (record.givenUp ?? []).length === 0) return false
  return facts.contenders.some(
    ({ contender: { id }, counts }) => counts.answered > 0 && !isGivenUp(id, facts),
  )
}

/** Then CONTENDER_GIVEN_UP says why too little was answered, and takes nothing from the figures of others. */
export function givenUpWhileOthersWereMeasured(contenderId: string, facts: EndingFacts): boolean {
  return isGivenUp(contenderId, facts) && onlyGivenUp(facts)
}
