import type { ContenderEvaluation, EnergyPart, EnergyPartName, Evaluation } from '#analysis'
import { column, textColumn } from '../../layout/column-kinds.ts'
import { formatJoules, formatSeconds } from '../../layout/units.ts'
import { energyNote, energyPartNames } from '../words/energy-words.ts'
import { incomparableMark, marked } from '../words/speed-words.ts'
import { type Contended, contenderColumn } from './by-contender.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

interface EnergyRow extends Contended {
  /** Null where nothing could be read. */
  readonly energy: Present | null
}

type Present = Extract<NonNullable<ContenderEvaluation['energy']>, { covers: unknown }>

/** Joules for an hour of audio, in all and of each part of the machine; null where none could be read. */
export function energyDetails(evaluation: Evaluation): DetailTable | null {
  const { contenders } = evaluation
  const rows = contenders.map(
    ({ contender, energy }): EnergyRow => ({
      contender: contender.id,
      energy: energy === undefined || energy.value === null ? null : energy,
    }),
  )
  if (rows.every(({ energy }) => energy === null)) return null
  return detailTable<EnergyRow>({
    title: 'Energy for an hour of audio',
    notes: [
      energyNote(evaluation),
      ...contenders.flatMap(({ contender, energy }) =>
        energy?.value === null ? [`${contender.id} has none: ${energy.reason}.`] : [],
      ),
    ],
    rows,
    columns: [
      contenderColumn<EnergyRow>({ contenders }, true),
      column(
        'joules_per_audio_hour',
        { header: 'in all', tone: () => 'strong' },
        ({ energy }) => energy?.value ?? null,
        (joules) => marked(formatJoules(joules), incomparableMark(evaluation.speeds)),
      ),
      ...(Object.keys(energyPartNames) as EnergyPartName[]).map((name) =>
        column<EnergyRow, number>(
          `${name}_joules_per_audio_hour`,
          {
            header: energyPartNames[name],
            isNeeded: (row) => partOf(row, name) !== null,
            meaning: 'what is not part of the sum contains other parts',
          },
          (row) => partOf(row, name)?.joulesPerAudioHour ?? null,
          formatJoules,
        ),
      ),
      column(
        'joules',
        { header: 'measured', meaning: 'joules of what is in the sum, in the blocks of the contender' },
        ({ energy }) => energy?.joules ?? null,
        formatJoules,
      ),
      column('audio_seconds', { header: 'audio' }, audioSeconds, formatSeconds),
      textColumn('covers', null, ({ energy }) => energy?.covers.join(' ') ?? null),
    ],
  })
}

function partOf({ energy }: EnergyRow, name: EnergyPartName): EnergyPart | null {
  return energy?.parts.find(({ part }) => part === name) ?? null
}

/** Of the part that was read for the longest. */
function audioSeconds({ energy }: EnergyRow): number | null {
  return energy === null ? null : Math.max(...energy.parts.map((part) => part.audioSeconds))
}
