import { limits } from '#contract'
import { type Outcome, succeeded } from '#prelude'
import { type Refusal, refused } from '../http/refusal.ts'

/** What to look for. Milliseconds since 1970, both inclusive. */
export interface RecordingSearch {
  /** Anything where it is empty. */
  readonly text: string
  readonly sinceMs: number
  readonly untilMs: number
  readonly limit: number
}

/** Reads the query of `GET /recordings/search`, or names everything in it that cannot be used. */
export function readSearch(query: URLSearchParams): Outcome<RecordingSearch, Refusal> {
  const { minimum, maximum, default: usual } = limits.searchResults
  const limitText = query.get('limit') ?? String(usual)
  const limit = /^\d{1,9}$/.test(limitText) ? Number(limitText) : 0
  const since = readMoment(query.get('since'), { first: Number.NEGATIVE_INFINITY, last: 0 })
  const until = readMoment(query.get('until'), { first: 0, last: Number.POSITIVE_INFINITY })
  const problems = [
    ...(limit < minimum || limit > maximum ? [`limit is a whole number from ${minimum} to ${maximum}.`] : []),
    ...(since === null ? ['since is an ISO 8601 date or seconds since 1970.'] : []),
    ...(until === null ? ['until is an ISO 8601 date or seconds since 1970.'] : []),
  ]
  if (since === null || until === null || problems.length > 0) {
    return refused('INVALID_REQUEST', problems.join(' '))
  }
  return succeeded({ text: query.get('q') ?? '', sinceMs: since.first, untilMs: until.last, limit })
}

/** The first and the last millisecond of what was named: `2026-06-02` is a whole day, `13:57:46` a whole second. */
interface Moment {
  readonly first: number
  readonly last: number
}

const epochSeconds = /^[+-]?\d+(\.\d+)?$/
const isoDate =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<minute>\d\d:\d\d)(?<second>:\d\d)?(?<fraction>[.,]\d+)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i

const secondMs = 1_000
const minuteMs = 60 * secondMs
const dayMs = 1_440 * minuteMs

function readMoment(text: string | null, absent: Moment): Moment | null {
  // A `+` that was not escaped has been decoded as a space.
  const given = text?.trim().replace(/ (?=\d\d:?\d\d$)(?<=:\d\d(?:[.,]\d+)? )/, '+') ?? ''
  if (given === '') return absent
  if (epochSeconds.test(given)) return spanOf(Number(given) * 1000, given.includes('.') ? 1 : secondMs)
  const parts = isoDate.exec(given)?.groups
  if (parts === undefined) return null
  const { date, minute = '00:00', second = '', fraction = '', zone = 'Z' } = parts
  const firstMs = Date.parse(`${date}T${minute}${second}${fraction.replace(',', '.')}${zone}`.toUpperCase())
  if (Number.isNaN(firstMs) || !isOnCalendar(date)) return null
  if (parts['minute'] === undefined) return spanOf(firstMs, dayMs)
  if (second === '') return spanOf(firstMs, minuteMs)
  return spanOf(firstMs, fraction === '' ? secondMs : 1)
}

/** The runtime takes 30 February for 2 March. */
function isOnCalendar(date: string | undefined): boolean {
  return date === undefined || new Date(`${date}T00:00Z`).toISOString().startsWith(date)
}

function spanOf(firstMs: number, lengthMs: number): Moment {
  return { first: firstMs, last: firstMs + lengthMs - 1 }
}
