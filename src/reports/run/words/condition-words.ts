/** `10 dB`; `none` for the version without the step. */
export function conditionText(value: number | null, unit: string): string {
  if (value === null) return 'none'
  const number = Number(value.toPrecision(3)).toString().replace('-', '−')
  return unit === '' ? number : `${number} ${unit}`
}
