import { type AudioInput, countBodyBytes } from '#client/connection'
import { type Platform, uploadLimits } from '#contract/enums'
import type { VerifiedUtterance } from '#corpus/utterance'
import type { AudioTransport } from '#journal/attempt-line'
import { grouped, type Problem, shellList } from '#prelude'
import { runErrors } from './errors.ts'
import { optionsFor } from './senders.ts'

/** Properties of a target that are known before the first request. */
export interface TransportFacts {
  /** Build of the target; null if unknown: then the limits of all builds but the older ones of Windows hold. */
  readonly platform: Platform | null
  /** Whether the server sees the files of this machine under the same paths, and may read this one. */
  mayRead(path: string): boolean
  /** Whether any recording can be copied to a folder that the server may read. */
  readonly canStage: boolean
}

/** One way to send an utterance. A staged one has no path yet, because its copy is made when the run begins. */
export type Route =
  | { readonly transport: Exclude<AudioTransport, 'staged'>; readonly audio: AudioInput }
  | { readonly transport: 'staged' }

export interface Routes {
  /** At least one route. The first is used, the others are fallbacks. */
  of(utterance: VerifiedUtterance): readonly Route[]
  /** Number of utterances by transport, if no request is refused. */
  readonly counts: ReadonlyMap<AudioTransport, number>
}

/** The transport of the config. `auto` is decided for each utterance. */
export type WantedTransport = 'auto' | Exclude<AudioTransport, 'staged'>

/** A Mode id for measuring the length of a request, because all ids have the same length. */
const someModeId = '00000000-0000-4000-8000-000000000000'

/**
 * Finds the routes of each utterance, the first to be used, the others as fallbacks:
 *
 *   auto   path if the server may read the file ─► base64 ─► multipart (Linux) ─► a staged copy
 *
 * @param wanted a transport other than `auto` has no fallback; for `path` a copy may be staged instead
 * @throws BenchError AUDIO_TOO_LARGE with every utterance that exceeds the limits of all transports
 */
export function planRoutes(
  utterances: readonly VerifiedUtterance[],
  wanted: WantedTransport,
  facts: TransportFacts,
): Routes {
  const stranded: Stranded[] = []
  const counts = new Map<AudioTransport, number>()
  for (const utterance of utterances) {
    const judged = judge(utterance, wanted, facts)
    const first = judged.find(isFree)?.transport
    if (first === undefined) stranded.push({ utterance, judged })
    else counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  if (stranded.length > 0) throw cannotBeCarried(stranded, utterances.length, wanted)
  const routesOf = (utterance: VerifiedUtterance): readonly Route[] =>
    judge(utterance, wanted, facts)
      .filter(isFree)
      .map(({ transport }) => routeBy(transport, utterance))
  return { of: routesOf, counts }
}

/** A possible transport, and why it cannot be used. */
interface Judged {
  readonly transport: AudioTransport
  readonly obstacle: string | null
}

function isFree({ obstacle }: Judged): boolean {
  return obstacle === null
}

interface Stranded {
  readonly utterance: VerifiedUtterance
  readonly judged: readonly Judged[]
}

const notStaged = 'not without --stage'
const notLinux = 'not a Linux build, which alone takes forms'

function judge(utterance: VerifiedUtterance, wanted: WantedTransport, facts: TransportFacts): Judged[] {
  // If the build is unknown: what all builds but the older ones of Windows accept.
  const { audioBytes, requestBytes, takesMultipart } = uploadLimits[facts.platform ?? 'windows']
  const { sizeBytes } = utterance
  const tooLong =
    audioBytes !== null && sizeBytes > audioBytes ? `more than ${grouped(audioBytes)} bytes of audio` : null
  const inBody = (transport: 'base64' | 'multipart'): string | null => {
    if (tooLong !== null) return tooLong
    const bodyBytes = countBodyBytes(carried(transport, utterance), optionsFor(someModeId, utterance))
    return bodyBytes > requestBytes
      ? `a request of ${grouped(bodyBytes)} bytes, over ${grouped(requestBytes)}`
      : null
  }
  const isReadable = facts.mayRead(utterance.audioPath)
  switch (wanted) {
    case 'auto':
      return [
        { transport: 'path', obstacle: isReadable ? tooLong : 'not in a folder that the target may read' },
        { transport: 'base64', obstacle: inBody('base64') },
        { transport: 'multipart', obstacle: takesMultipart ? inBody('multipart') : notLinux },
        { transport: 'staged', obstacle: tooLong ?? (facts.canStage ? null : notStaged) },
      ]
    case 'path':
      // A file that the target may not read is staged if possible; otherwise the path is tried.
      return facts.canStage && !isReadable
        ? [{ transport: 'staged', obstacle: tooLong }]
        : [{ transport: 'path', obstacle: tooLong }]
    case 'base64':
      return [{ transport: 'base64', obstacle: inBody('base64') }]
    case 'multipart':
      // If the build is unknown, a form is tried.
      return [
        {
          transport: 'multipart',
          obstacle: takesMultipart || facts.platform === null ? inBody('multipart') : notLinux,
        },
      ]
  }
}

function routeBy(transport: AudioTransport, utterance: VerifiedUtterance): Route {
  if (transport === 'staged') return { transport }
  if (transport === 'path') return { transport, audio: { transport, path: utterance.audioPath } }
  return { transport, audio: carried(transport, utterance) }
}

function carried(
  transport: 'base64' | 'multipart',
  { audioPath: path, sizeBytes, mimeType }: VerifiedUtterance,
): Exclude<AudioInput, { readonly transport: 'path' }> {
  return { transport, path, sizeBytes, mimeType }
}

function cannotBeCarried(
  stranded: readonly Stranded[],
  utteranceCount: number,
  wanted: WantedTransport,
): Error {
  const problems: Problem[] = stranded.map(({ utterance, judged }) => ({
    where: utterance.id,
    what: `${grouped(utterance.sizeBytes)} bytes; ${judged.map(({ transport, obstacle }) => `${transport}: ${obstacle}`).join('; ')}`,
  }))
  const share = `${stranded.length} of ${utteranceCount} utterances`
  const isStageable = ({ judged }: Stranded): boolean => judged.some(({ obstacle }) => obstacle === notStaged)
  const beyondStaging = stranded.filter((entry) => !isStageable(entry))
  const excluding = (entries: typeof stranded): string => {
    const ids = entries.map(({ utterance }) => utterance.id)
    return entries.length === 0
      ? ''
      : `--exclude ${shellList(ids.slice(0, 10))}${ids.length > 10 ? ',…' : ''}`
  }
  return runErrors.make('AUDIO_TOO_LARGE', {
    message:
      wanted === 'auto'
        ? `no transport to this target carries ${share}`
        : `${share} cannot go to this target by ${wanted}`,
    hint: [
      ...(stranded.some(isStageable)
        ? [`put copies where the target may read them: --stage ${excluding(beyondStaging)}`.trim()]
        : []),
      ...(wanted === 'auto' ? [] : ['let each go as it can: --transport auto']),
      `leave them out: ${excluding(stranded)}`,
    ].join('; or '),
    problems,
  })
}
