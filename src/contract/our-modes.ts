/** Every Mode that asrbench creates begins like this, so that a person knows where it comes from. */
const prefix = 'asrbench'

/** The Mode of one contender: no other run has this name, since no two run folders have one name. */
export function temporaryModeName(runId: string, contenderId: string): string {
  return `${prefix} ${runId} ${contenderId}`
}

/** A Mode that a conformance case creates. @param runId 8 hexadecimal digits, made anew each time */
export function conformanceModeName(runId: string, label: string): string {
  return `${prefix} conformance ${runId} ${label}`
}

/** What those two make, and nothing that a person would call a Mode: "asrbench notes" is theirs. */
const ours = /^asrbench (\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-\S+|conformance [0-9a-f]{8}) ./

/** Whether a Mode's name is one that asrbench gave. */
export function isOurModeName(name: string): boolean {
  return ours.test(name)
}
