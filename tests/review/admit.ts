/** What a tab has once it has opened the link of a page. */
export interface Admission {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  readonly cookie: string
  readonly key: string
}

/** Opens the link of a page, as its tab does. */
export async function admit(address: string): Promise<Admission> {
  const { origin, hash } = new URL(address)
  const headers = { origin, 'content-type': 'application/json' }
  const token = new URLSearchParams(hash.slice(1)).get('token')
  const session = await fetch(`${origin}/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ token }),
  })
  const { key } = (await session.json()) as { key: string }
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { origin, headers, cookie, key }
}
