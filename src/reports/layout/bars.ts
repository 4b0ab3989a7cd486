import type { Terminal } from './terminal.ts'

const levels = '▁▂▃▄▅▆▇█'
const asciiLevels = '_.-=+*#@'

/** Heights of 0 to 1 as a row of bars; a null is a gap. */
export function bars(heights: readonly (number | null)[], { unicode }: Pick<Terminal, 'unicode'>): string {
  const signs = unicode ? levels : asciiLevels
  return heights
    .map((height) => (height === null ? ' ' : (signs[Math.round(height * (signs.length - 1))] ?? ' ')))
    .join('')
}
