import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import { startCli } from '../journeys/run-cli.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { admit } from '../review/admit.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const killCount = 50
const random = seededRandom(7)

test('a server that is killed at 50 random moments loses no correction that it has confirmed', async () => {
  await using home = await temporaryFolder()
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: 'the cat sat on the mat' })
  const file = join(home.path, 'corpus', 'corrections.jsonl')
  const confirmed: string[] = []
  let sent = 0
  for (let kill = 0; kill < killCount; kill += 1) {
    const cli = startCli(['review', manifest, '--reviewer', 'ann'], { cwd: home.path })
    const correct = await openReview(await addressOf(cli.process))
    const gone = once(cli.process, 'exit')
    // Somewhere in the writing of the first few hundred lines.
    const timer = setTimeout(() => cli.process.kill('SIGKILL'), random.unit() * 120)
    for (;;) {
      sent += 1
      const after = `text ${sent}`
      const isConfirmed = await correct(after).catch(() => false)
      if (!isConfirmed) break
      confirmed.push(after)
    }
    clearTimeout(timer)
    await gone
    const written = await afterTexts(file)
    // Confirmed ones are there, in their order; at most the one that was under way is there too.
    expect(written.filter((text) => confirmed.includes(text))).toEqual(confirmed)
  }
  const written = await afterTexts(file)
  expect(written.length - confirmed.length).toBeLessThanOrEqual(killCount)
  process.stdout.write(
    `review: ${killCount} kills, ${confirmed.length} corrections confirmed, all of them on disk; ` +
      `${written.length - confirmed.length} more were written and not confirmed\n`,
  )
  expect(confirmed.length).toBeGreaterThan(killCount)
})

async function addressOf(child: ReturnType<typeof startCli>['process']): Promise<string> {
  return await new Promise((resolve, reject) => {
    let printed = ''
    child.stdout?.on('data', (text: string) => {
      printed += text
      const found = /http:\S+/.exec(printed)
      if (found !== null) resolve(found[0])
    })
    child.once('exit', () => reject(new Error('review ended before it printed a link')))
  })
}

/** @returns sends a correction and says whether it was confirmed */
async function openReview(address: string): Promise<(after: string) => Promise<boolean>> {
  const { origin, headers, cookie, key } = await admit(address)
  return async (after) => {
    const answer = await fetch(`${origin}/corrections`, {
      method: 'POST',
      headers: { ...headers, cookie, 'x-transcribench-tab': key },
      body: JSON.stringify({ utteranceId: 'one', before: 'the cat sat on the mat', after, seen: 'seen' }),
    })
    await answer.json()
    return answer.ok
  }
}

/** Every whole line of the file; a torn last one, as a reader takes it, is none. */
async function afterTexts(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { readonly after: string }).after)
}
