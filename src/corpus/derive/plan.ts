import { fingerprint, nearest, type Problem } from '#prelude'
import type { Derivation } from '../utterance.ts'
import { gsm, mp3, mulaw, opus } from './codecs.ts'
import { farField } from './far-field.ts'
import { join } from './join.ts'
import { noise, noSpeech } from './noise.ts'
import type { DeriveContext, Draft, LadderParameter, Step, Transformation } from './transformation.ts'
import { clip, cut, level, speed } from './wave.ts'

/** One variant of the corpus: the steps, with one value of the ladder. */
export interface Rung {
  readonly steps: readonly Step[]
  /** Null without a ladder. */
  readonly ladder: (LadderParameter & { readonly value: number | null }) | null
}

export interface DeriveRequest {
  /** Steps as typed, `noise:snr=10,noise=babble`, in the order of application. */
  readonly steps: readonly string[]
  /** Ladder as typed, `snr=30,20,10`; the value `none` skips the step. */
  readonly ladder?: string | undefined
}

interface RawStep {
  readonly transformation: Transformation
  readonly written: Readonly<Record<string, string>>
}

/** Parses steps and ladder, and reports all problems at once. */
export function planDerivation(
  { steps, ladder }: DeriveRequest,
  utterances: readonly Draft[],
): { readonly rungs: readonly Rung[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const raw = steps.flatMap((text) => readStep(text, problems) ?? [])
  const varied = ladder === undefined ? null : readLadder(ladder, problems)
  if (steps.length === 0 && ladder === undefined) {
    const names = transformations.map(({ name }) => name).join(', ')
    problems.push({
      where: null,
      what: 'neither a step nor a ladder is given',
      hint: `--step takes ${names}`,
    })
  }
  if (problems.length > 0) return { rungs: [], problems }
  const rungs =
    varied === null
      ? [checkedRung(raw, null, utterances, problems)]
      : planRungs(raw, varied, utterances, problems)
  const distinct = new Map(problems.map((problem) => [`${problem.where} ${problem.what}`, problem]))
  return { rungs: problems.length > 0 ? [] : rungs, problems: [...distinct.values()] }
}

/** Parses `name`, or `name:key=value,key=value`. */
function readStep(text: string, problems: Problem[]): RawStep | null {
  const where = `--step ${text}`
  const [name = '', ...rest] = text.split(':')
  const transformation = transformations.find((each) => each.name === name.trim())
  if (transformation === undefined) {
    const names = transformations.map((each) => each.name)
    const meant = nearest(name, names)
    const hint = meant === null ? `known: ${names.join(', ')}` : `did you mean "${meant}"?`
    problems.push({ where, what: `there is no transformation "${name}"`, hint })
    return null
  }
  const written: Record<string, string> = {}
  for (const pair of rest
    .join(':')
    .split(',')
    .filter((each) => each.trim() !== '')) {
    const at = pair.indexOf('=')
    const [key, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    // An empty value is rejected, because it would be read as the number 0.
    if (at < 1 || value === '') problems.push({ where, what: `"${pair}" is not of the form parameter=value` })
    else if (!transformation.parameters.some((each) => each.name === key))
      problems.push(unknownParameter(where, key, transformation))
    else if (key in written) problems.push({ where, what: `${key} is given twice` })
    else written[key] = value
  }
  return { transformation, written }
}

function unknownParameter(where: string, key: string, { name, parameters }: Transformation): Problem {
  const names = parameters.map((each) => each.name)
  const hint = names.length === 0 ? `${name} has no parameters` : `${name} has ${names.join(', ')}`
  return { where, what: `${name} has no parameter "${key}"`, hint }
}

function readLadder(text: string, problems: Problem[]) {
  const where = `--ladder ${text}`
  const [parameter = '', list = ''] = text.split('=')
  const found = ladders.find(({ ladder }) => ladder.parameter === parameter.trim())
  if (found === undefined) {
    const ladderParameters = ladders.map(({ ladder }) => ladder.parameter)
    const meant = nearest(parameter, ladderParameters)
    const hint = meant === null ? `known: ${ladderParameters.join(', ')}` : `did you mean "${meant}"?`
    problems.push({ where, what: `there is no ladder of "${parameter}"`, hint })
    return null
  }
  const words = list.split(',').map((word) => word.trim())
  const values = words.map((word) => (word === 'none' ? null : word === '' ? Number.NaN : Number(word)))
  for (const [index, value] of values.entries()) {
    if (Number.isNaN(value)) problems.push({ where, what: `"${words[index]}" is neither a number nor none` })
  }
  if (new Set(values).size < values.length) problems.push({ where, what: 'a value is given twice' })
  else if (values.length < 2) problems.push({ where, what: 'a ladder needs at least two values' })
  return { ...found, values }
}

function planRungs(
  raw: readonly RawStep[],
  { ladder, transformation, values }: NonNullable<ReturnType<typeof readLadder>>,
  utterances: readonly Draft[],
  problems: Problem[],
): readonly Rung[] {
  const ladderSteps = raw.filter((step) => step.transformation === transformation)
  if (ladderSteps.length > 1 || ladderSteps.some(({ written }) => ladder.parameter in written)) {
    const what = `the ladder varies ${ladder.parameter}, which a step gives too, or ${transformation.name} is given twice`
    problems.push({
      where: `--ladder ${ladder.parameter}`,
      what,
      hint: `give ${ladder.parameter} in one of them`,
    })
    return []
  }
  const all = ladderSteps.length === 1 ? raw : [...raw, { transformation, written: {} }]
  return values.map((value) => {
    const steps = all.flatMap((step) => {
      if (step.transformation !== transformation) return [step]
      return value === null
        ? []
        : [{ ...step, written: { ...step.written, [ladder.parameter]: String(value) } }]
    })
    return checkedRung(steps, { ...ladder, value }, utterances, problems)
  })
}

function checkedRung(
  raw: readonly RawStep[],
  ladder: Rung['ladder'],
  utterances: readonly Draft[],
  problems: Problem[],
): Rung {
  const steps = raw.flatMap(({ transformation, written }): readonly Step[] => {
    const read = transformation.read(written)
    const found = read.ok ? read.value.problems(utterances) : read.failure
    for (const what of found) problems.push({ where: transformation.name, what })
    return read.ok ? [read.value] : []
  })
  return { steps, ladder }
}

/** All transformations, in the order of the help. */
export const transformations: readonly Transformation[] = [
  noise,
  farField,
  opus,
  mp3,
  mulaw,
  gsm,
  speed,
  level,
  clip,
  cut,
  join,
  noSpeech,
]

/** All ladders, each with the transformation that it belongs to. */
const ladders: readonly { readonly ladder: LadderParameter; readonly transformation: Transformation }[] =
  transformations.flatMap((transformation) =>
    transformation.ladders.map((ladder) => ({ ladder, transformation })),
  )

/** One line of the future manifest. */
export interface DerivedUtterance {
  readonly id: string
  /** Path relative to the folder of the manifest. */
  readonly audio: string
  readonly draft: Draft
  readonly derivation: Derivation
}

/** Applies all rungs; utterances of the same parent are adjacent. */
export function derivedUtterances(
  rungs: readonly Rung[],
  { context, seed }: { readonly context: DeriveContext; readonly seed: number },
): readonly DerivedUtterance[] {
  const columns = rungs.map(({ steps, ladder }) => ({
    suffix: rungSuffix({ steps, ladder }),
    drafts: steps.reduce<readonly Draft[]>((drafts, step) => step.apply(drafts, context), context.utterances),
    derivation: { seed, ladder, steps: steps.map(({ name, parameters }) => ({ name, parameters })) },
  }))
  const longest = Math.max(...columns.map(({ drafts }) => drafts.length))
  const names = new Set<string>()
  return Array.from({ length: longest }, (_, row) =>
    columns.flatMap(({ suffix, drafts, derivation }) => {
      const draft = drafts[row]
      if (draft === undefined) return []
      const [first, ...others] = draft.parents
      const id = `${first}${others.length === 0 ? '' : `+${others.length}`}.${suffix}`
      return [
        {
          id,
          audio: `audio/${fileName(id, names)}.wav`,
          draft,
          derivation: { parents: draft.parents, ...derivation },
        },
      ]
    }),
  ).flat()
}

/** Suffix of an id: `snr10`, `snr-none`, or the names of the steps. */
function rungSuffix({ steps, ladder }: Rung): string {
  if (ladder === null) return steps.map(({ name }) => name).join('.')
  return ladder.value === null ? `${ladder.parameter}-none` : `${ladder.parameter}${ladder.value}`
}

/** A file name for an id that is valid and unique on every file system. */
function fileName(id: string, names: Set<string>): string {
  const clean = id.replace(/[^\w.+-]/g, '_').slice(0, 120)
  const isOwn = clean === id && !id.startsWith('.') && !names.has(id.toLowerCase())
  const name = isOwn ? id : `${clean.replace(/^\./, '_')}-${fingerprint(id).slice(0, 8)}`
  names.add(name.toLowerCase())
  return name
}
