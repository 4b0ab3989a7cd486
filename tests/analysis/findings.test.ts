import { describe, expect, test } from 'vitest'
import { evaluationSchema } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import {
  comparisonFindings,
  findingDefinitions,
  referenceFindings,
  runFindings,
} from '#analysis/findings/registry'
import { measuredRun } from './measured-run.ts'

describe('the registry of findings', () => {
  test('a code has the same severity in every list of findings', () => {
    for (const { code, severity } of [...runFindings, ...referenceFindings, ...comparisonFindings]) {
      const known = findingDefinitions.find((definition) => definition.code === code)
      expect(known).toMatchObject({ code, severity })
    }
  })

  test('lists each code once, the gravest first', () => {
    const codes = findingDefinitions.map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
    const severities = findingDefinitions.map(({ severity }) => severity)
    const changes = severities.filter((severity, index) => severity !== severities[index - 1])
    expect(changes).toEqual(['invalid', 'decisive', 'warning', 'note'])
  })
})

test('a document with a finding of another version opens', () => {
  const run = measuredRun({ utterances: [{ id: 'a', reference: 'a b' }], fate: () => 'a b' })
  const evaluation = evaluateRun(run)
  const [first] = evaluation.findings
  const findings = [{ ...first, code: 'NOT_A_FINDING_OF_THIS_VERSION' }]
  expect(evaluationSchema.parse({ ...evaluation, findings })).toMatchObject({ findings })
})
