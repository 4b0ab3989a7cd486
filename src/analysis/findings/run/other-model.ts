import { doctorCommand } from '../next-commands.ts'
import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

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
        names.add(nameOf(answer.engine, answer.model))
      }
      if (otherCount === 0) return []
      const share = `${otherCount} of ${counted(answerCount, 'answer')}`
      const message = `${share} to ${id} came from ${[...names].join(', ')}, not from ${nameOf(engine, model)}`
      return [{ message, advice: doctorCommand(record) }]
    }),
} satisfies RunFinding

function isOther(answered: string, asked: string | null): boolean {
  return asked !== null && answered !== '' && answered !== asked
}

/** `moonshine:moonshine-tiny`; what is not known is omitted. */
function nameOf(engine: string | null, model: string | null): string {
  return [engine, model].filter((part) => part !== null && part !== '').join(':')
}
