import type { ContenderConfig } from '#config'
import { describeFailure } from '#contract'
import { type PostProcessOptions, runErrors } from '#run'
import { sessionErrors } from '../errors.ts'
import { doctorCommand } from '../next-commands.ts'
import type { OpenTarget } from '../target/open-target.ts'

/**
 * How each contender asks for post-processing: by the Mode it names, untouched, or by preset or prompt with its
 * engine as the provider. No Mode is created or patched for it.
 *
 * @throws BenchError WORKLOAD_UNFIT with every contender that asks for what post-processing does not have;
 *   MODE_UNAVAILABLE
 */
export async function postProcessOptions(
  contenders: readonly ContenderConfig[],
  target: Pick<OpenTarget, 'connection' | 'named'>,
): Promise<ReadonlyMap<string, PostProcessOptions>> {
  checkSettings(contenders)
  const options = new Map<string, PostProcessOptions>()
  for (const { id, engine, model, mode, settings } of contenders) {
    const prompt = settings.userSystemPrompt ?? null
    options.set(id, {
      ...(mode === null ? {} : { mode_id: await modeIdOf(mode, id, target) }),
      ...(prompt !== null ? { prompt } : settings.preset !== undefined ? { preset: settings.preset } : {}),
      ...(mode === null && prompt === null && settings.preset === undefined ? { preset: 'hyper' } : {}),
      ...(engine === null ? {} : { provider: engine }),
      ...(model === null ? {} : { model }),
    })
  }
  return options
}

/** The fields of "settings" that a request for post-processing can carry. */
const askable = ['preset', 'userSystemPrompt']

function checkSettings(contenders: readonly ContenderConfig[]): void {
  const problems = contenders.flatMap(({ id, settings }) => {
    const others = Object.keys(settings).filter((field) => !askable.includes(field))
    return [
      ...others.map((field) => ({ where: id, what: `sets ${field}` })),
      ...(settings.preset !== undefined && settings.userSystemPrompt != null
        ? [{ where: id, what: 'sets preset and userSystemPrompt, of which a request carries one' }]
        : []),
    ]
  })
  if (problems.length === 0) return
  throw sessionErrors.make('WORKLOAD_UNFIT', {
    message: 'a request for post-processing carries a preset or a prompt, and no other field of a Mode',
    hint: 'name a Mode that has the fields ("mode"), or leave them out',
    problems,
  })
}

async function modeIdOf(
  name: string,
  contenderId: string,
  target: Pick<OpenTarget, 'connection' | 'named'>,
): Promise<string> {
  const listed = await target.connection.listModes()
  if (!listed.ok) {
    throw runErrors.make('MODE_UNAVAILABLE', {
      message: `the Mode for ${contenderId} could not be looked up: ${describeFailure(listed.failure)}`,
      hint: `see what the target says: ${doctorCommand({ target: target.named })}`,
    })
  }
  const found = listed.value.modes.find((mode) => mode.name.toLowerCase() === name.toLowerCase())
  if (found !== undefined) return found.id
  throw runErrors.make('MODE_UNAVAILABLE', {
    message: `the target has no Mode "${name}" (contender ${contenderId})`,
    hint: `its Modes are ${listed.value.modes.map((mode) => `"${mode.name}"`).join(', ')}`,
  })
}
