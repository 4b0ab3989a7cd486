import { counted, shellWord } from '#prelude'
import type { ResolvedContender } from '../../requests/resolved-run.ts'
import { contenderFinding, givenUpWhileOthersWereMeasured, runFinding } from '../run-facts.ts'
import { crossedText, doctorCommand } from '../wording.ts'

/** Crossed answers are a fault of the server, which an engine's error rate does not show. */
export const answersCrossed = contenderFinding(
  'ANSWERS_CROSSED',
  'decisive',
  ({ contender: { id }, counts: { answered } }, { crossedAnswers, material: { record } }) => {
    const crossed = crossedAnswers.get(id)
    if (crossed === undefined) return []
    return {
      message: `${id}: ${crossedText(crossed, answered)}`,
      advice: `listen to them (transcribench review ${shellWord(record.id)}), then see whether it stays with one request at a time`,
      utteranceIds: crossed.utteranceIds,
    }
  },
)

/** Reports answer formats other than plain `json` that were requested, and those that the server refused. */
export const answerFormat = runFinding('ANSWER_FORMAT', 'note', ({ scored }) =>
  scored.flatMap(({ resolved }) => observe(resolved)),
)

function observe(resolved: ResolvedContender): readonly { readonly message: string }[] {
  const { contender, sendings, warmup } = resolved
  const counts = new Map<string, number>()
  for (const { outcome } of sendings) {
    const format = outcome.ok ? outcome.answer.format : undefined
    if (format !== undefined) counts.set(format, (counts.get(format) ?? 0) + 1)
  }
  const isRefused = [...warmup, ...sendings].some(({ resentFor }) => resentFor?.includes('format') === true)
  return [...counts].map(([format, count]) => {
    const askedText = `${counted(count, 'answer')} of ${contender.id} ${count === 1 ? 'was' : 'were'} asked for in ${format}`
    if (format === 'verbose_json') {
      const why =
        contender.options?.['response_format'] === format ? 'as its options say' : 'because times are scored'
      return {
        message: `${askedText}, ${why}: the server may take longer than for json, and give another text`,
      }
    }
    const why = isRefused ? 'because the server refuses fuller formats' : 'as its options say'
    return { message: `${askedText}, ${why}: without times${format === 'text' ? ' and language' : ''}` }
  })
}

/** Reused answers show the accuracy of a provider, but not its speed. */
export const answersReused = contenderFinding(
  'ANSWERS_REUSED',
  'note',
  ({ contender: { id }, counts, reused }) => {
    if (reused === undefined) return []
    return {
      message:
        `${id}: ${counted(reused.count, 'answer')} of ${counts.planned} from earlier runs, the oldest of ` +
        `${reused.oldestAt.slice(0, 10)}; for accuracy alone`,
      advice: 'measure speed without --reuse',
    }
  },
)

export const noSpeechAnswers = contenderFinding(
  'NO_SPEECH_ANSWERS',
  'note',
  ({ contender: { id }, noSpeechCount, counts: { answered } }) => {
    if (noSpeechCount === 0) return []
    const said = `${noSpeechCount} of ${answered} answers of ${id} said that there was no speech`
    return { message: `${said}: scored as empty transcripts` }
  },
)

/** The check needs a server that names its engine or model in its answers. */
export const otherModel = runFinding('OTHER_MODEL', 'invalid', ({ material: { record, attempts } }) =>
  record.contenders.flatMap(({ id, engine, model }) => {
    let [answerCount, otherCount] = [0, 0]
    const names = new Set<string>()
    for (const { contenderId, phase, outcome } of attempts) {
      if (contenderId !== id || phase !== 'measure' || !outcome.ok) continue
      const { answer } = outcome
      answerCount += 1
      if (!isOther(answer.engine, engine) && !isOther(answer.model, model)) continue
      otherCount += 1
      names.add(nameEngine(answer.engine, answer.model))
    }
    if (otherCount === 0) return []
    const share = `${otherCount} of ${counted(answerCount, 'answer')}`
    const message = `${share} to ${id} came from ${[...names].join(', ')}, not from ${nameEngine(engine, model)}`
    return [{ message, advice: doctorCommand(record, id) }]
  }),
)

function isOther(answered: string, asked: string | null): boolean {
  return asked !== null && answered !== '' && answered !== asked
}

/** Formats `moonshine:moonshine-tiny`; unknown parts are omitted. */
function nameEngine(engine: string | null, model: string | null): string {
  return [engine, model].filter((part) => part !== null && part !== '').join(':')
}

const listedRecordings = 5
const listedCuts = 4

export const recordingsCut = runFinding('RECORDINGS_CUT', 'note', ({ utteranceTallies }) => {
  const cut = utteranceTallies.filter(({ cuts }) => cuts.size > 0)
  return [...Map.groupBy(cut, ({ cuts }) => cutsText(cuts))].map(([text, tallies]) => {
    const utteranceIds = [...(tallies[0]?.cuts.keys() ?? [])]
    const contenders = tallies.map(({ contenderId }) => contenderId).join(', ')
    return {
      message: `the service cut ${counted(utteranceIds.length, 'long recording')} at silences for ${contenders}: ${text}`,
      advice: 'words at the cuts may be lost or heard twice',
      utteranceIds,
    }
  })
})

function cutsText(cuts: ReadonlyMap<string, readonly number[]>): string {
  const listed = [...cuts].slice(0, listedRecordings).map(([id, seconds]) => {
    const rest = seconds.length - listedCuts
    const places = seconds.slice(0, listedCuts).map((second) => `${second.toFixed(1)} s`)
    return `${id} at ${places.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  })
  const rest = cuts.size - listed.length
  return `${listed.join('; ')}${rest > 0 ? `; and ${counted(rest, 'recording')} more` : ''}`
}

export const editsMissing = contenderFinding(
  'EDITS_MISSING',
  'warning',
  ({ contender: { id }, counts: { answered }, postProcessedRate }) => {
    if (postProcessedRate === null || postProcessedRate === 0 || postProcessedRate === 1) return []
    const unedited = Math.round((1 - postProcessedRate) * answered)
    return {
      message: `${id} did not edit ${unedited} of ${counted(answered, 'text')}: its provider failed`,
      advice: 'which ones: isPostProcessed in journal.jsonl',
    }
  },
)

export const nothingEdited = contenderFinding(
  'NOTHING_EDITED',
  'invalid',
  ({ contender: { id }, counts: { answered }, postProcessedRate }, { material: { record } }) => {
    if (postProcessedRate !== 0) return []
    return { message: `${id} edited none of ${counted(answered, 'text')}`, advice: doctorCommand(record, id) }
  },
)

export const nothingScored = contenderFinding(
  'NOTHING_SCORED',
  'invalid',
  ({ contender: { id }, counts: { planned, answered } }, facts) => {
    if (answered > 0 || givenUpWhileOthersWereMeasured(id, facts)) return []
    return { message: `none of ${counted(planned, 'request')} to ${id} was answered` }
  },
)
