/** The positions of a list that are still to be sent, in order. */
export function unsentPositions(
  count: number,
  isSent: ((position: number) => boolean) | undefined,
): number[] {
  const positions = Array.from({ length: count }, (_, position) => position)
  return isSent === undefined ? positions : positions.filter((position) => !isSent(position))
}
