import type { Command } from 'commander'
import { nearest } from '#prelude'
import { type NormalisationTrace, renderExplanation, renderExplanationList, renderTrace } from '#reports/help'
import { findProfile, tokeniseWords, traceNormalisation } from '#scoring'
import type { Attach } from '../attach.ts'
import { cliErrors } from '../errors.ts'
import { allExplanations, type Explanation, familyExplanation } from '../output/explanations.ts'

/** `transcribench explain [name] [text]`: what an error, a finding, a metric or a profile means, and does to a text. */
export function defineExplainCommand(explain: Command, attach: Attach): void {
  explain
    .argument('[name]', 'such as CONFIG_INVALID, wer, latency.p95 or basic')
    .argument('[text]', 'with a profile: shows this text after every stage')
    .option('--json', 'one JSON document on stdout')
  attach<{ readonly json?: boolean }>(explain, async (context, options, [name, text]) => {
    const known = allExplanations()
    const chosen = name === undefined ? null : find(name, known)
    if (chosen !== null && text !== undefined) {
      const traced = trace(chosen, text)
      context.print(
        options.json === true ? JSON.stringify(traced, null, 2) : renderTrace(traced, context.output),
      )
      return 'done'
    }
    if (options.json === true) context.print(JSON.stringify(chosen ?? known, null, 2))
    else if (chosen === null) context.print(renderExplanationList(known, context.output))
    else context.print(renderExplanation(chosen, context.output))
    return 'done'
  })
}

function trace({ name, kind }: Explanation, text: string): NormalisationTrace {
  if (kind !== 'profile') {
    throw cliErrors.make('NOT_EXPLAINED', {
      message: `${name} is a ${kind}: only a profile does something to a text`,
      hint: `transcribench explain english "${text.slice(0, 40)}"`,
    })
  }
  const profile = findProfile(name)
  const stages = traceNormalisation(text, profile)
  const { id, version, fingerprint } = profile
  const words = tokeniseWords(stages.at(-1)?.text ?? text, profile.words)
  return { profile: { id, version, fingerprint }, text, stages, words }
}

function find(name: string, known: readonly Explanation[]): Explanation {
  const typed = name.toLowerCase()
  const names = known.flatMap((explanation) => [explanation.name, ...explanation.aliases])
  const found = known.find(({ name: own, aliases }) =>
    [own, ...aliases].some((one) => one.toLowerCase() === typed),
  )
  const chosen = found ?? familyExplanation(typed, known)
  if (chosen !== null) return chosen
  const near = nearest(typed, names)
  const suggestion = near === null ? '' : `did you mean ${near}? `
  throw cliErrors.make('NOT_EXPLAINED', {
    message: `nothing here is called "${name}"`,
    hint: `${suggestion}the list: transcribench explain`,
  })
}
