import { isUnspacedLanguage } from '#scoring'
import type { Reference } from './draft.ts'

/**
 * The reference of utterances that are heard one after the other. Where one of them may be said in several ways, the
 * whole becomes a text with choices.
 */
export function joinReferences(references: readonly Reference[], language: string | null): Reference {
  const spoken = references.filter(({ text }) => text !== '')
  const blank = language !== null && isUnspacedLanguage(language) ? '' : ' '
  if (spoken.every(({ alternatives, hasChoices }) => alternatives.length === 0 && !hasChoices)) {
    return { text: spoken.map(({ text }) => text).join(blank), alternatives: [], hasChoices: false }
  }
  // Marks count only between blanks, so that choices always have them.
  return { text: spoken.map(withChoices).join(' '), alternatives: [], hasChoices: true }
}

function withChoices({ text, alternatives, hasChoices }: Reference): string {
  const texts = [text, ...alternatives].map((each) => (hasChoices ? each : escaped(each)))
  return texts.length === 1 ? (texts[0] as string) : `{ ${texts.map((each) => each || '@').join(' / ')} }`
}

/** Letters that a reader of choices would take for marks. */
function escaped(text: string): string {
  return text.replace(/[{}/@()\\]/gu, '\\$&')
}
