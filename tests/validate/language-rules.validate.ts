import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findProfile } from '#scoring/profiles/index'
import { readLanguagePairs } from '../../scripts/language-pairs.ts'
import { languages } from '../../src/scoring/profiles/languages/all.ts'
import { isNoticed, mutationsOf } from '../scoring/rule-mutations.ts'

/**
 * Rules that no pair needs: another rule does the same, or the case is rare. The list may only become shorter.
 */
const unnoticed = readFileSync(new URL('../scoring/fixtures/unnoticed-rules.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')

test('every rule of every language is needed by a pair, but for the listed ones', () => {
  const found: string[] = []
  let ruleCount = 0
  for (const pairs of readLanguagePairs()) {
    const rules = languages.find(({ name }) => name === pairs.name)?.rules()
    if (rules === undefined) throw new Error(`no language has the pairs ${pairs.name}`)
    const whole = findProfile(pairs.name)
    for (const mutation of mutationsOf(rules)) {
      ruleCount += 1
      if (!isNoticed(mutation, whole, pairs)) found.push(`${pairs.name}: ${mutation.rule}`)
    }
  }
  expect(ruleCount).toBeGreaterThan(4000)
  expect(found).toEqual(unnoticed)
}, 300_000)
