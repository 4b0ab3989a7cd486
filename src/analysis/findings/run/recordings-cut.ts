import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

const listedRecordings = 5
const listedCuts = 4

/** Recordings that the server says it cut, and where. */
export const recordingsCut = {
  code: 'RECORDINGS_CUT',
  severity: 'note',
  meaning:
    'An engine takes only so much audio at once: longer recordings are cut, at silences where there are any, and the texts ' +
    'of the pieces are joined. Words at a cut may be lost or heard twice, and latency is that of several decodes. The reference ' +
    'service reports where it cut (cuts in the answer, cutsSeconds in journal.jsonl); other services report nothing.',
  detect: ({ utteranceTallies }) => {
    const cut = utteranceTallies.filter(({ cuts }) => cuts.size > 0)
    return [...Map.groupBy(cut, ({ cuts }) => cutsText(cuts))].map(([text, those]) => {
      const utteranceIds = [...(those[0]?.cuts.keys() ?? [])]
      const contenders = those.map(({ contenderId }) => contenderId).join(', ')
      return {
        message: `the service cut ${counted(utteranceIds.length, 'long recording')} at silences for ${contenders}: ${text}`,
        advice: 'words at the cuts may be lost or heard twice',
        utteranceIds,
      }
    })
  },
} satisfies RunFinding

function cutsText(cuts: ReadonlyMap<string, readonly number[]>): string {
  const listed = [...cuts].slice(0, listedRecordings).map(([id, seconds]) => {
    const rest = seconds.length - listedCuts
    const places = seconds.slice(0, listedCuts).map((second) => `${second.toFixed(1)} s`)
    return `${id} at ${places.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  })
  const rest = cuts.size - listed.length
  return `${listed.join('; ')}${rest > 0 ? `; and ${counted(rest, 'recording')} more` : ''}`
}
