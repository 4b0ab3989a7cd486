import { shellWord } from '#prelude'
import type { ResolvedContender } from '../../requests/resolved-run.ts'
import { givenUpWhileOthersWereMeasured, type RunFinding } from '../run-facts.ts'
import { counted, crossedText, doctorCommand } from '../wording.ts'

/** A fault of the server, which no error rate of an engine shows. */
export const answersCrossed = {
  code: 'ANSWERS_CROSSED',
  severity: 'decisive',
  meaning:
    'Answers are the text of another recording, which was sent at about the same time: the server confuses the requests that ' +
    'it works on, and one user reads what another one said. The error rate counts such an answer as wrong, which says nothing of ' +
    'the engine. Found by the text: it has an error rate of 60% or more against its own reference, and of 34% or less against ' +
    'that of the other recording, which has five words or more. Short and repeated sentences, exchanged references, and one ' +
    'text for many recordings are not counted.',
  detect: ({ contenders, crossedAnswers, material: { record } }) =>
    contenders.flatMap(({ contender: { id }, counts: { answered } }) => {
      const crossed = crossedAnswers.get(id)
      if (crossed === undefined) return []
      return [
        {
          message: `${id}: ${crossedText(crossed, answered)}`,
          advice: `listen to them (transcribench review ${shellWord(record.id)}), then see whether it stays with one request at a time`,
          utteranceIds: crossed.utteranceIds,
        },
      ]
    }),
} satisfies RunFinding

/** What a transcription server was asked for other than plain `json`, and what it would not give. */
export const answerFormat = {
  code: 'ANSWER_FORMAT',
  severity: 'note',
  meaning:
    'A transcription server is asked for response_format=json. It is asked for verbose_json where the corpus has times to score, ' +
    'or where the option response_format says so: some servers then decode with times, which takes longer and may give another ' +
    'text. A server that refuses a format is asked for the next simpler one (verbose_json, json, text), once; the refused ' +
    'requests are in no latency.',
  detect: ({ scored }) => scored.flatMap(({ resolved }) => observe(resolved)),
} satisfies RunFinding

function observe({
  contender,
  sendings,
  warmup,
}: ResolvedContender): readonly { readonly message: string }[] {
  const counts = new Map<string, number>()
  for (const { outcome } of sendings) {
    const format = outcome.ok ? outcome.answer.format : undefined
    if (format !== undefined) counts.set(format, (counts.get(format) ?? 0) + 1)
  }
  const isRefused = [...warmup, ...sendings].some(({ resentFor }) => resentFor?.includes('format') === true)
  return [...counts].map(([format, count]) => {
    const asked = `${counted(count, 'answer')} of ${contender.id} ${count === 1 ? 'was' : 'were'} asked for in ${format}`
    if (format === 'verbose_json') {
      const why =
        contender.options?.['response_format'] === format ? 'as its options say' : 'because times are scored'
      return { message: `${asked}, ${why}: the server may take longer than for json, and give another text` }
    }
    const why = isRefused ? 'because the server refuses fuller formats' : 'as its options say'
    return { message: `${asked}, ${why}: without times${format === 'text' ? ' and language' : ''}` }
  })
}

/** Old answers say how accurate a provider was, and nothing of how fast it is. */
export const answersReused = {
  code: 'ANSWERS_REUSED',
  severity: 'note',
  meaning:
    'With --reuse, answers of earlier runs are scored again instead of being paid for once more: answers to the same ' +
    'recording, by the same target, model and settings, within the age that was asked for. They are in the error rates. They ' +
    'are in no latency, no speed and no cost. A provider may have changed its model since.',
  detect: ({ contenders }) =>
    contenders.flatMap(({ contender: { id }, counts, reused }) =>
      reused === undefined
        ? []
        : [
            {
              message:
                `${id}: ${counted(reused.count, 'answer')} of ${counts.planned} from earlier runs, the oldest of ` +
                `${reused.oldestAt.slice(0, 10)}; for accuracy alone`,
              advice: 'measure speed without --reuse',
            },
          ],
    ),
} satisfies RunFinding

export const noSpeechAnswers = {
  code: 'NO_SPEECH_ANSWERS',
  severity: 'note',
  meaning:
    'Some services answer silence with the error TRANSCRIPTION_FAILED and a message such as "No speech detected". ' +
    'Such an answer is an empty transcript: all deletions on speech, correct on silence. Which refusals mean so ' +
    'is in scoring.noSpeech of the config; score --rules takes another list.',
  detect: ({ contenders }) =>
    contenders
      .filter(({ noSpeechCount }) => noSpeechCount > 0)
      .map(({ contender: { id }, noSpeechCount, counts: { answered } }) => ({
        message:
          `${noSpeechCount} of ${answered} answers of ${id} said that there was no speech: ` +
          'scored as empty transcripts',
      })),
} satisfies RunFinding

/** A server that names no engine and no model in its answers is not checked. */
export const otherModel = {
  code: 'OTHER_MODEL',
  severity: 'invalid',
  meaning:
    'The server answered with another engine or model than the one under test, and says so itself. The figures belong to that ' +
    'other model: the Mode was changed during the run, or the server chose for itself.',
  detect: ({ material: { record, attempts } }) =>
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
      return [{ message, advice: doctorCommand(record) }]
    }),
} satisfies RunFinding

function isOther(answered: string, asked: string | null): boolean {
  return asked !== null && answered !== '' && answered !== asked
}

/** `moonshine:moonshine-tiny`; what is not known is omitted. */
function nameEngine(engine: string | null, model: string | null): string {
  return [engine, model].filter((part) => part !== null && part !== '').join(':')
}

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

export const editsMissing = {
  code: 'EDITS_MISSING',
  severity: 'warning',
  meaning:
    'Some texts came back as they were sent: post_processed is false in those answers, which is how the API says that a ' +
    'provider failed. They are scored as they came back, as a person would have got them.',
  detect: ({ contenders }) =>
    contenders.flatMap(({ contender: { id }, counts: { answered }, postProcessedRate }) => {
      if (postProcessedRate === null || postProcessedRate === 0 || postProcessedRate === 1) return []
      const unedited = Math.round((1 - postProcessedRate) * answered)
      return [
        {
          message: `${id} did not edit ${unedited} of ${counted(answered, 'text')}: its provider failed`,
          advice: 'which ones: isPostProcessed in journal.jsonl',
        },
      ]
    }),
} satisfies RunFinding

export const nothingEdited = {
  code: 'NOTHING_EDITED',
  severity: 'invalid',
  meaning:
    'Texts were sent to be edited, and every one came back as it was: post_processed is false in all answers, which is how ' +
    'the API says that a provider failed or is not there. The errors shown are those of the texts that were sent.',
  detect: ({ contenders, material: { record } }) =>
    contenders
      .filter(({ postProcessedRate }) => postProcessedRate === 0)
      .map(({ contender: { id }, counts: { answered } }) => ({
        message: `${id} edited none of ${counted(answered, 'text')}`,
        advice: doctorCommand(record),
      })),
} satisfies RunFinding

export const nothingScored = {
  code: 'NOTHING_SCORED',
  severity: 'invalid',
  meaning:
    'Not one request of a contender was answered, so it has no figures at all. A contender that was given up takes nothing ' +
    'from the figures of others: see CONTENDER_GIVEN_UP.',
  detect: (facts) =>
    facts.contenders
      .filter(
        ({ contender: { id }, counts }) =>
          counts.answered === 0 && !givenUpWhileOthersWereMeasured(id, facts),
      )
      .map(({ contender: { id }, counts: { planned } }) => ({
        message: `none of ${counted(planned, 'request')} to ${id} was answered`,
      })),
} satisfies RunFinding
