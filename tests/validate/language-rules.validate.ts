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

test.each(readLanguagePairs())(
  'every rule of $name is needed by a pair, but for the listed ones',
  (pairs) => {
    const rules = languages.find(({ name }) => name === pairs.name)?.rules()
    if (rules === undefined) throw new Error(`no language has the pairs ${pairs.name}`)
    const whole = findProfile(pairs.name)
    const mutations = [...mutationsOf(rules)]
    const found = mutations.filter((mutation) => !isNoticed(mutation, whole, pairs))
    expect(mutations.length).toBeGreaterThan(40)
    expect(found.map(({ rule }) => `${pairs.name}: ${rule}`)).toEqual(
      unnoticed.filter((line) => line.startsWith(`${pairs.name}: `)),
    )
  },
  300_000,
)
