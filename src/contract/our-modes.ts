/** Every Mode that transcribench creates begins like this, so that a person knows where it comes from. */
const prefix = 'transcribench'

/**
 * The Mode of one contender. No other run has this name.
 *
 * @param mark of the run folder's path: in two results folders, two runs that began in the same second have one id
 */
export function temporaryModeName(
  { runId, mark }: { readonly runId: string; readonly mark: string },
  contenderId: string,
): string {
  return `${prefix} ${runId} ${contenderId} ${mark}`
}

/** A Mode that a conformance case creates. @param runId 8 hexadecimal digits, made anew each time */
export function conformanceModeName(runId: string, label: string): string {
  return `${prefix} conformance ${runId} ${label}`
}

/** What those two make, and nothing that a person would call a Mode: "transcribench notes" is theirs. */
const ours =
  /^(?:transcribench|asrbench) (?:(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-\S+)|conformance ([0-9a-f]{8})) ./

/** The id of the run, or of the conformance check, that gave a Mode its name; null where that was not this project, whose first name was asrbench. */
export function runOfModeName(name: string): string | null {
  const found = ours.exec(name)
  return found?.[1] ?? found?.[2] ?? null
}
