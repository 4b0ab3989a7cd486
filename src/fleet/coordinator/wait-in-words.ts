/** `90 s`, `30 min`. */
export function waitInWords(waitMs: number): string {
  const seconds = waitMs / 1000
  return seconds < 120 ? `${seconds} s` : `${Number((seconds / 60).toFixed(1))} min`
}
