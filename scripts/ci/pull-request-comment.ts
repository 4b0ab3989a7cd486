/** Where a comment goes, and what it says. Its first line is the mark that a later one finds it by. */
export interface CommentRequest {
  /** `https://api.github.com`, or the address of an enterprise server. */
  readonly api: string
  /** `owner/name`. */
  readonly repository: string
  /** Number of the pull request. */
  readonly pullRequest: string
  readonly token: string
  readonly markdown: string
}

export type WrittenComment =
  | { readonly ok: true; readonly what: 'created' | 'updated' }
  | { readonly ok: false; readonly why: string }

const perPage = 100

/**
 * Writes a comment on a pull request, in place of an earlier one with the same first line. A comment that cannot be
 * written (a fork's token may only read) is no reason to fail a build, so nothing is thrown.
 */
export async function writeComment(request: CommentRequest): Promise<WrittenComment> {
  const { api, repository, pullRequest, markdown } = request
  const comments = `${api}/repos/${repository}/issues/${pullRequest}/comments`
  try {
    const earlier = await findComment(comments, request)
    const response =
      earlier === null
        ? await ask(comments, request, { method: 'POST', body: markdown })
        : await ask(`${api}/repos/${repository}/issues/comments/${earlier}`, request, {
            method: 'PATCH',
            body: markdown,
          })
    if (!response.ok) return { ok: false, why: `GitHub answered ${response.status}` }
    return { ok: true, what: earlier === null ? 'created' : 'updated' }
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) }
  }
}

/** Id of the comment with the same first line, page by page; null where there is none. */
async function findComment(comments: string, request: CommentRequest): Promise<number | null> {
  const mark = request.markdown.split('\n', 1)[0] ?? ''
  for (let page = 1; ; page += 1) {
    const response = await ask(`${comments}?per_page=${perPage}&page=${page}`, request, { method: 'GET' })
    if (!response.ok) throw new Error(`GitHub answered ${response.status} when asked for comments`)
    const found = (await response.json()) as readonly { readonly id: number; readonly body?: string }[]
    const own = found.find(({ body }) => body?.startsWith(mark) === true)
    if (own !== undefined) return own.id
    if (found.length < perPage) return null
  }
}

function ask(
  url: string,
  { token }: CommentRequest,
  { method, body }: { readonly method: string; readonly body?: string },
): Promise<Response> {
  return fetch(url, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'user-agent': 'transcribench',
    },
    signal: AbortSignal.timeout(30_000),
    ...(body === undefined ? {} : { body: JSON.stringify({ body }) }),
  })
}
