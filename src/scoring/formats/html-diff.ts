import type { AlignmentStep } from '../alignment/steps.ts'

/**
 * An alignment as HTML: a list of words, errors marked by class (`substitution`, `deletion`, `insertion`) and,
 * for those who do not see colours, as <del> and <ins>. What the texts hold is escaped; nothing of it becomes
 * markup, and the direction of each word is its own.
 */
export function writeHtmlDiff(steps: readonly AlignmentStep[]): string {
  const words = steps.map(({ kind, reference, hypothesis }) => {
    if (kind === 'hit') return `<bdi>${escapeHtml(reference)}</bdi>`
    const missing = reference === null ? '' : `<del><bdi>${escapeHtml(reference)}</bdi></del>`
    const added = hypothesis === null ? '' : `<ins><bdi>${escapeHtml(hypothesis)}</bdi></ins>`
    return `<span class="${kind}">${missing}${added}</span>`
  })
  return `<p class="alignment">${words.join(' ')}</p>`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
}
