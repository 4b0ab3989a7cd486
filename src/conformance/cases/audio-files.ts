import { type FailureCode, platforms } from '#contract'
import { objectOf, type Reply } from '../ask.ts'
import {
  type ConformanceCase,
  judge,
  notApplicable,
  reads,
  type Verdict,
  writes,
} from '../conformance-case.ts'
import type { Exchange, ReadableFolder } from '../exchange.ts'
import { expectAnswer, expectRefusal, expectSame } from '../expect-reply.ts'
import { listModes } from '../modes-of-ours.ts'
import { except } from './access.ts'
import { installedVoice } from './inventory.ts'
import { transcribe, withVoice } from './transcription.ts'

/** Audio that a request names by its path: what is read, and what is not. */
export const audioFileCases: readonly ConformanceCase[] = [
  reads('transcription.outside-macos', ['macos'], (exchange) =>
    refusesOutside(exchange, 'FILE_ACCESS_DENIED'),
  ),
  reads('transcription.outside-elsewhere', except('macos'), (exchange) =>
    refusesOutside(exchange, 'FILE_NOT_ALLOWED'),
  ),
  reads('transcription.outside-silent', platforms, async (exchange) => {
    const { existing, missing } = exchange.outside
    const [there, notThere] = [await named(exchange, existing), await named(exchange, missing)]
    return judge(
      expectSame(
        there,
        'the refusal of a file that is there',
        refusalOf(there, existing),
        refusalOf(notThere, missing),
      ),
    )
  }),
  writes('transcription.file', platforms, (exchange) =>
    withFiles(exchange, (files) =>
      withVoice(exchange, async (voice) => {
        const file = await files.place('tone.wav', exchange.audio.second)
        return judge(expectAnswer(await transcribe(exchange, { file, ...voice }), 'transcribe'))
      }),
    ),
  ),
  reads('transcription.missing-file', platforms, (exchange) =>
    withFiles(exchange, async (files) =>
      judge(expectRefusal(await named(exchange, files.pathOf('missing.wav')), 'FILE_NOT_FOUND')),
    ),
  ),
  reads('transcription.symlink', platforms, (exchange) =>
    withFiles(exchange, async (files) => {
      const link = await files.link('link.wav', exchange.outside.existing)
      if (link === null) return notApplicable('this system makes no symbolic links')
      return judge(expectRefusal(await named(exchange, link), ['FILE_ACCESS_DENIED', 'FILE_NOT_ALLOWED']))
    }),
  ),
]

/** A request that lacks nothing but, perhaps, the file. */
async function named(exchange: Exchange, file: string): Promise<Reply> {
  const voice = await installedVoice(exchange)
  const [mode] = await listModes(exchange)
  return transcribe(exchange, { file, ...(voice ?? { mode_id: mode?.['id'] }) })
}

async function refusesOutside(exchange: Exchange, code: FailureCode): Promise<Verdict> {
  const { existing, missing } = exchange.outside
  return judge(
    expectRefusal(await named(exchange, existing), code),
    expectRefusal(await named(exchange, missing), code),
  )
}

/** What a refusal says, but for the path, which the client knows already. */
function refusalOf(reply: Reply, path: string): unknown {
  const { code, message, hint } = objectOf(reply.json['error']) as Readonly<Record<string, unknown>>
  return [reply.status, code, ...[message, hint].map((text) => String(text ?? '').replaceAll(path, '<file>'))]
}

/** Runs a check that puts files where the service may read them. */
export async function withFiles(
  { files }: Exchange,
  check: (files: ReadableFolder) => Promise<Verdict>,
): Promise<Verdict> {
  return files === null
    ? notApplicable('no folder is known that the service may read: --files')
    : check(files)
}
