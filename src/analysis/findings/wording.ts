export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The first ten ids, and how many more there are. */
export function named(ids: readonly string[]): string {
  const rest = ids.length - 10
  return rest > 0 ? `${ids.slice(0, 10).join(', ')} and ${rest} more` : ids.join(', ')
}
