import type { Cardinal } from './groups.ts'

const ones = '零一二三四五六七八九'
const tens = ['', '十', '百', '千']
const myriads = ['', '万', '億', '兆', '京']

/** Powers of ten thousand. “一” is written before those, and not before 十, 百 and 千. */
export const japanese: Cardinal = (digits) => {
  const whole = digits.replace(/^0+/, '')
  let written = ''
  for (let end = whole.length, power = 0; end > 0; end -= 4, power += 1) {
    const group = myriad(whole.slice(Math.max(0, end - 4), end))
    if (group !== '') written = group + myriads[power] + written
  }
  return written || '零'
}

function myriad(group: string): string {
  return [...group]
    .map((digit, at) => {
      const power = group.length - 1 - at
      if (digit === '0') return ''
      return (digit === '1' && power > 0 ? '' : ones[Number(digit)]) + (tens[power] as string)
    })
    .join('')
}
