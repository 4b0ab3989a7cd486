import { randomBytes, timingSafeEqual } from 'node:crypto'

/** Who may see what the server has: the one tab that the link was opened in. */
export interface Admission {
  /** For the link that is printed; works once. */
  readonly token: string
  /** Exchanges the token for what the tab is known by; null where it is wrong, or was exchanged before. */
  admit(token: string): { readonly cookie: string; readonly key: string } | null
  /** Whether both the cookie of the browser and the key of the tab are those that were given out. */
  isAdmitted(cookie: string | undefined, key: string | undefined): boolean
}

/**
 * The cookie, which no script can read, keeps other programs' pages out; the key, which stays in one tab's own
 * storage, keeps other tabs of the same browser out.
 */
export function makeAdmission(): Admission {
  const token = secret()
  const [cookie, key] = [secret(), secret()]
  let isUsed = false
  return {
    token,
    admit(given) {
      if (isUsed || !isSame(given, token)) return null
      isUsed = true
      return { cookie, key }
    },
    isAdmitted: (givenCookie, givenKey) =>
      isUsed && isSame(givenCookie ?? '', cookie) && isSame(givenKey ?? '', key),
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url')
}

function isSame(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)]
  return left.length === right.length && timingSafeEqual(left, right)
}
