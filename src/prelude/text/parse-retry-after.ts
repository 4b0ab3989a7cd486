/** `Sun, 06 Nov 1994 08:49:37 GMT`, the form that servers have to send. `Date.parse` takes much more: it reads a date in "1.5". */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Reads the header `Retry-After`: seconds, which some servers send with decimals, or a date of HTTP.
 *
 * @param today for a date
 * @returns seconds from now, 0 for a date that has passed; null for anything else, which counts as not sent
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function parseRetryAfter(text: string, today: () => Date): number | null {
  const seconds = httpDate.test(text)
    ? Math.max(0, (Date.parse(text) - today().getTime()) / 1000)
    : /^\d+(\.\d+)?$/.test(text)
      ? Number(text)
      : Number.NaN
  return Number.isFinite(seconds) ? seconds : null
}
