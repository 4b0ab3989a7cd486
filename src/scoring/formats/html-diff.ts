import { escapeHtml } from '#prelude'
import type { AlignmentStep } from '../shapes.ts'

/**
 * An alignment as HTML: a list of words, errors marked by class (`substitution`, `deletion`, `insertion`) and,
 * for those who do not see colours, as <del> and <ins>. What the texts hold is escaped; nothing of it becomes
 * markup. The direction of each word is its own; that of the whole is the one of its first letter.
 */
export function writeHtmlDiff(steps: readonly AlignmentStep[]): string {
  const words = steps.map(({ kind, reference, hypothesis }) => {
    if (kind === 'hit') return `<bdi>${escapeHtml(reference)}</bdi>`
    const missing = reference === null ? '' : `<del><bdi>${escapeHtml(reference)}</bdi></del>`
    const added = hypothesis === null ? '' : `<ins><bdi>${escapeHtml(hypothesis)}</bdi></ins>`
    return `<span class="${kind}">${missing}${added}</span>`
  })
  const written = steps.map(({ reference, hypothesis }) => reference ?? hypothesis).join(' ')
  const direction = startsRightToLeft.test(written) ? 'rtl' : 'ltr'
  return `<p class="alignment" dir="${direction}">${words.join(' ')}</p>`
}

// Hebrew to Arabic Extended-A and their presentation forms, before any other letter.
const startsRightToLeft = /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u
