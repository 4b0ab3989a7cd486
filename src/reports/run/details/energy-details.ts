import type { EnergyPart, Evaluation } from '#analysis'
import { column, fileColumn, textColumn } from '../../layout/column-kinds.ts'
import { formatJoules, formatSeconds } from '../../layout/units.ts'
import { energyNote, energyPartNames } from '../energy-words.ts'
import { type Contended, contenderColumn } from './by-contender.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

interface EnergyRow extends Contended, EnergyPart {
  readonly isInSum: boolean
}

/** Joules of each part of the machine for an hour of audio; null where none could be read. */
export function energyDetails(evaluation: Evaluation): DetailTable | null {
  const { contenders } = evaluation
  const rows = contenders.flatMap(({ contender, energy }) =>
    energy === undefined || energy.value === null
      ? []
      : energy.parts.map(
          (part): EnergyRow => ({
            ...part,
            contender: contender.id,
            isInSum: energy.covers.includes(part.part),
          }),
        ),
  )
  if (rows.length === 0) return null
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
      contenderColumn<EnergyRow>({ contenders }),
      textColumn('part', { header: 'part', cell: ({ part }) => energyPartNames[part] }, ({ part }) => part),
      column(
        'joules_per_audio_hour',
        { header: 'energy/h' },
        ({ joulesPerAudioHour }) => joulesPerAudioHour,
        formatJoules,
      ),
      column('joules', { header: 'measured' }, ({ joules }) => joules, formatJoules),
      column('audio_seconds', { header: 'audio' }, ({ audioSeconds }) => audioSeconds, formatSeconds),
      textColumn('is_in_sum', { header: 'in the sum' }, ({ isInSum }) => (isInSum ? 'yes' : 'no')),
      fileColumn('audio_hours', ({ audioSeconds }) => audioSeconds / 3600),
    ],
  })
}
