import { shellWord } from '#prelude'
import { invertedWords } from '../verify-corpus.ts'
import { type LintCheck, onEach } from './lint-check.ts'

const listen = 'listen; record it again or remove it'

export const clipping: LintCheck = {
  name: 'clipping',
  meaning: 'The wave is cut at its largest value: at least five stretches of three samples or more.',
  find: onEach(({ flatPeakCount }) =>
    flatPeakCount < 5 ? null : { what: `clipped: ${flatPeakCount} flat peaks`, suggestion: listen },
  ),
}

const quietDbov = -65

export const silence: LintCheck = {
  name: 'silence',
  meaning: 'The reference has words, and the recording is digital silence or below -65 dBov.',
  find: onEach(({ levelDbov, words }) =>
    words === 0 || levelDbov > quietDbov
      ? null
      : {
          what: Number.isFinite(levelDbov)
            ? `nearly silent: ${levelDbov.toFixed(0)} dBov`
            : 'digital silence',
          suggestion: 'listen; remove it, or empty the reference and add the tag "silence"',
        },
  ),
}

export const inverted: LintCheck = {
  name: 'inverted-channel',
  meaning: 'One of two channels is the other upside down: their mean is 20 dB below them.',
  find: onEach(({ isInverted, utterance: { audioPath } }) => {
    if (!isInverted) return null
    const [from, to] = [audioPath, `${audioPath}.mono.wav`].map((path) => shellWord(path))
    const suggestion = `keep one channel: ffmpeg -i ${from} -af 'pan=mono|c0=c0' ${to}`
    return { what: invertedWords, suggestion }
  }),
}

/** Minimum level at the edge in dB relative to the active level that indicates cut speech. */
const edgeDb = -6

function edgeCheck(
  side: 'start' | 'end',
  meaning: string,
  { verb, word }: Readonly<Record<'verb' | 'word', string>>,
): LintCheck {
  return {
    name: `cut-${side}`,
    meaning,
    find: onEach(({ edgesDb, words }) =>
      words === 0 || edgesDb === null || edgesDb[side] < edgeDb
        ? null
        : {
            what: `${verb} within speech: ${edgesDb[side].toFixed(0).replace('-', '−')} dB at the edge`,
            suggestion: `listen whether the ${word} word is whole`,
          },
    ),
  }
}

export const cutStart: LintCheck = edgeCheck(
  'start',
  'The first 20 ms are within 6 dB of the active speech level: speech may begin before the recording.',
  { verb: 'begins', word: 'first' },
)

export const cutEnd: LintCheck = edgeCheck(
  'end',
  'The last 20 ms are within 6 dB of the active speech level: speech may go on behind the recording.',
  { verb: 'ends', word: 'last' },
)

const longestSeconds = 40
const shortestSeconds = 0.4

export const length: LintCheck = {
  name: 'length',
  meaning: 'The recording is longer than 40 s, which many models cut, or shorter than 0.4 s.',
  find: onEach(({ utterance: { durationSeconds } }) => {
    if (durationSeconds > longestSeconds) {
      return { what: `very long: ${durationSeconds.toFixed(0)} s`, suggestion: 'cut it at a pause' }
    }
    if (durationSeconds >= shortestSeconds) return null
    return {
      what: `very short: ${durationSeconds.toFixed(2)} s`,
      suggestion: 'listen; remove it where no word is whole',
    }
  }),
}

const minSpeakers = 4
const largestShare = 0.5

export const speakers: LintCheck = {
  name: 'speaker-imbalance',
  meaning:
    'Of at least four speakers one has more than half of the audio: the figures are mostly about one voice.',
  find: ({ heard }) => {
    const seconds = new Map<string, number>()
    for (const { utterance } of heard) {
      if (utterance.speaker === null) continue
      seconds.set(utterance.speaker, (seconds.get(utterance.speaker) ?? 0) + utterance.durationSeconds)
    }
    const total = [...seconds.values()].reduce((sum, value) => sum + value, 0)
    const [first] = [...seconds].sort(([, left], [, right]) => right - left)
    if (first === undefined || seconds.size < minSpeakers || first[1] <= largestShare * total) return []
    const share = Math.round((100 * first[1]) / total)
    return [
      {
        utteranceId: null,
        what: `speaker ${first[0]} has ${share}% of the audio of ${seconds.size} speakers`,
        suggestion: 'choose a balanced part: transcribench corpus select --balance speaker',
      },
    ]
  },
}
