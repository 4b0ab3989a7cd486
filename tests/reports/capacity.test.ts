import { describe, expect, test } from 'vitest'
import { type CapacityFinding, type ContenderCapacity, capacityFindingSchema } from '#capacity/finding'
import type { FoundCapacity, FoundSimulation } from '#capacity/found-loads'
import { capacityPage } from '#reports/capacity/capacity-page'
import { formatRate } from '#reports/capacity/capacity-words'
import { capacityCsv, capacityMarkdown, renderCapacity } from '#reports/capacity/render-capacity'
import { aFinding } from '../capacity/a-finding.ts'

const terminal = { width: 80, color: false, unicode: true }
const screen = (finding: CapacityFinding, width = 80): string =>
  renderCapacity(finding, { terminal: { ...terminal, width }, folder: 'results/here' })
const unbroken = (finding: CapacityFinding, width = 80): string =>
  screen(finding, width).replaceAll(/\s+/g, ' ').trim()

type Change = (contender: ContenderCapacity) => Partial<ContenderCapacity>

/** The finding with other figures of its contender. */
function findingWith(change: Change): CapacityFinding {
  const finding = aFinding()
  const contenders = finding.contenders.map((contender) => ({ ...contender, ...change(contender) }))
  return { ...finding, contenders }
}

/** With another fleet for a year that is known. */
function withYear(more: Partial<NonNullable<ContenderCapacity['fleet']>> = {}): CapacityFinding {
  return findingWith(({ fleet }) => {
    if (fleet?.yearly == null) throw new TypeError('there is a year')
    return { fleet: { ...fleet, ...more, yearly: { ...fleet.yearly, own: null } } }
  })
}

describe('a capacity on a screen', () => {
  test('has the answer first, then each load, scaling, overload, cold start, what-if, cost and a year', async () => {
    await expect(screen(aFinding(), 140)).toMatchFileSnapshot('./golden/capacity.txt')
  })

  test('begins in every medium with what makes it invalid, and claims nothing where requests were sent late', () => {
    const message = 'one request in a hundred left more than 848 ms late'
    const finding = { ...aFinding(), remarks: [{ severity: 'invalid', message } as const] }
    const invalid = `This measurement is not valid: ${message}.`
    expect(capacityPage(finding).answers[0]).toBe(invalid)
    expect(capacityMarkdown(finding)).toMatch(
      new RegExp(`^# Capacity\n\n- invalid: ${message}\n\n\\*\\*moonshine-tiny`),
    )
    expect(unbroken(finding).startsWith(`✗ ${invalid} moonshine-tiny`)).toBe(true)
    const late = { ...finding, instrument: { lateP99Ms: 848, lateMaxMs: 900 } }
    const { answers, contenders } = capacityPage(late)
    expect(answers).toEqual([invalid])
    expect(contenders[0]?.figures.map(({ label }) => label)).toEqual(['p95 without load'])
    expect(capacityMarkdown(late) + unbroken(late)).not.toMatch(/sustains? \d|users need/)
    const given = { ...late, contenders: findingWith(() => ({ ended: 'given', fleet: null })).contenders }
    expect(capacityPage(given).answers[1]).toContain('given with --known-capacity')
  })

  test('shows a rate below a hundredth with two digits, and never as zero', () => {
    expect([0, 0.0033, 0.0999, 0.42, 3, 12, 150, 1147.3].map(formatRate)).toEqual([
      ...['0.00', '0.0033', '0.10', '0.42', '3.00', '12.0', '150', '1,147'],
    ])
  })

  test('says why such machines have no sum next to the providers', () => {
    const shown = unbroken(withYear(), 140)
    expect(shown).not.toContain('4 such machines $')
    expect(shown).toContain('what an audio hour costs on them could not be measured')
  })

  test('gives the year at providers where one machine is not known to sustain one user', () => {
    const shown = unbroken(withYear({ size: null }), 140)
    expect(shown).toContain('How many such machines 500 concurrent users need is not known')
    const one = unbroken(withYear({ size: null, users: 1 }), 140)
    expect(one).toContain('How many such machines 1 concurrent user needs is not known')
    expect(shown).toContain('A provider $23,342')
  })

  test('fits 80 columns, also without signs', () => {
    for (const line of screen(aFinding()).split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
    const ascii = renderCapacity(aFinding(), { terminal: { ...terminal, unicode: false }, folder: 'x' })
    expect(ascii).not.toMatch(/[✓✗·×−“”]/)
  })

  describe('always begins with a number', () => {
    const shown = (changed: Partial<ContenderCapacity>) =>
      unbroken(findingWith(() => ({ fleet: null, ...changed })))
    const [found] = aFinding().contenders
    const [met, undecided, violated] = found?.levels ?? []
    if (found === undefined || met === undefined || undecided === undefined || violated === undefined)
      throw new TypeError('three levels')
    const measured = found.capacity as FoundCapacity
    const unknown = { met: null, violated: null }

    test('that is simulated and called an estimate, with what is certain', () => {
      const capacity = { ...measured, basis: 'simulated' as const }
      expect(shown({ capacity })).toMatch(
        /^moonshine-tiny is estimated to sustain 6\.02 requests per second within its objectives \(simulated, 95% interval 5\.61 to 6\.40\): 20\.5 hours of speech per hour, or 140 concurrent users\. Certain: 5\.60 requests per second meet the objectives, 6\.90 requests per second violate them\. The budget was used before open loads showed more: give it a longer --budget\./,
      )
      expect(shown({ capacity, bounds: unknown })).toContain(
        'No bound is certain: no load was measured for long enough.',
      )
    })

    test('that is the throughput where no objective is violated', () => {
      expect(shown({ capacity: { ...measured, limitedBy: null } })).toContain(
        'No objective is violated up to the most that it does: its throughput is the limit.',
      )
    })

    test.each([
      [null, 'budget', 'Not confirmed: that takes a longer --budget.'],
      [null, 'interrupted', 'Not confirmed: it was interrupted.'],
      [
        'violated',
        'budget',
        'A separate test at 5.60 requests per second, with new random arrivals, violated it.',
      ],
      ['undecided', 'budget', 'A separate test at 5.60 requests per second was too short to confirm it.'],
    ] as const)('that is followed by the confirmation: %s, %s', (verdict, ended, said) => {
      const confirmation = verdict === null ? null : { load: undecided, verdict }
      expect(shown({ confirmation, ended })).toContain(said)
    })

    test('that is a bound, where there is neither a curve nor a simulation', () => {
      expect(shown({ capacity: null })).toMatch(
        /^moonshine-tiny sustains at least 5\.60 requests per second within its objectives, and less than 6\.90: 19\.0 hours of speech per hour, or 131 concurrent users\. The budget was used before its capacity was known\./,
      )
      expect(shown({ capacity: null, bounds: { met: null, violated }, levels: [violated] })).toMatch(
        /^moonshine-tiny sustains less than 6\.90 requests per second within its objectives, the lowest load that violates them \(60 of 300 requests missed “p95 <= 0\.4s \+ 0\.1d”\)\. 95% of requests that are alone take up to 190 ms\. Where that is within the objective, a longer --budget finds a lower load that is sustained; otherwise allow more time\./,
      )
    })

    test('that is the throughput of the sweep, where no load was measured for long enough, which is not reported as a failure', () => {
      const words = shown({ capacity: null, bounds: unknown, levels: [undecided] })
      expect(words).toMatch(
        /^moonshine-tiny sustains at most 8\.30 requests per second, the throughput of the sweep; what it sustains within its objectives is not known: no load was measured for long enough\./,
      )
      expect(words).not.toMatch(/violates|failed to/)
    })

    test('that is none, of a server that changed, and of one whose refusals no simulation foresees', () => {
      const change = { times: 2.15, firstEstimate: 5.1, lastEstimate: 2.4 }
      expect(shown({ capacity: null, change, bounds: unknown })).toMatch(
        /^moonshine-tiny has no single capacity: it became slower while it was measured\. A request alone took 2\.15 times as long at the end of the search as at its beginning\. The estimate of its capacity went from 5\.10 to 2\.40 requests per second\./,
      )
      const exceeded = {
        ...undecided,
        objectives: undecided.objectives.map((each) => ({ ...each, misses: 60, moreNeeded: null })),
      }
      const simulation = {
        ...(found.simulation as FoundSimulation),
        silentBecause: 'the server refuses requests',
      }
      const words = shown({ capacity: null, bounds: unknown, levels: [exceeded], simulation })
      expect(words).toMatch(
        /^What moonshine-tiny sustains within its objectives is not known: the server refuses requests\. It is probably less than 5\.60 requests per second, where 60 of 300 requests missed “p95 <= 0\.4s \+ 0\.1d”, more than may\./,
      )
    })

    test('that is 0, where every request failed that was alone', () => {
      const [alone] = found.sweep.levels
      if (alone === undefined) throw new TypeError('there is a level')
      const failing = { ...alone, requestsPerSecond: null, p95Ms: null, failed: 12 }
      const sweep = { ...found.sweep, levels: [failing] }
      expect(shown({ capacity: null, bounds: unknown, levels: [], sweep })).toMatch(
        /^moonshine-tiny sustains 0 requests per second: all 12 requests that were alone failed\./,
      )
    })

    test('that is absent only if the measurement was interrupted before it began', () => {
      const sweep = { ...found.sweep, levels: [] }
      const nothing = { capacity: null, bounds: unknown, levels: [], sweep, ended: 'interrupted' as const }
      expect(shown(nothing)).toContain('moonshine-tiny: it was interrupted before any load was measured.')
    })
  })

  test.each([
    [
      { differing: 6, crossed: 1, emptied: 2 },
      '6 of its 972 texts differ from those without load: 2 empty, 1 those of other recordings, 3 changed.',
    ],
    [{ recoverySeconds: null }, 'the objective was not met again for 20 requests in a row.'],
    [
      { recoverySeconds: null, tooFewAfterwards: { requests: 4, misses: 1 } },
      'afterwards, 1 of 4 requests missed the objective, too few to show a recovery.',
    ],
    [{ recoverySeconds: null, isAlive: false }, 'it answered no more afterwards.'],
    [
      { recoverySeconds: 0, turnedAway: 0 },
      'none turned away, 3 failed; the objective was met as soon as it was over.',
    ],
  ])('reports what an overload did: %o', (changed, said) => {
    const finding = findingWith(({ overloads }) => ({
      overloads: overloads.map((overload) => ({ ...overload, ...changed })),
    }))
    expect(unbroken(finding)).toContain(said)
  })

  test('does not let a simulation speak that reproduces nothing', () => {
    const finding = findingWith(({ simulation }) => ({
      simulation: simulation && { ...simulation, silentBecause: 'it reproduces 1 of 4', whatIfs: [] },
    }))
    expect(screen(finding)).toContain('The simulation is not used: it reproduces 1 of 4.')
  })
})

test('contenders are compared by accuracy, latency and cost, and the front is that of all of them together', () => {
  const finding = aFinding()
  const contenders = [0.054, 0.03, 0.06].flatMap((errorRate, index) =>
    finding.contenders.map((contender) => ({
      ...contender,
      id: `model-${index}`,
      costs: contender.costs && {
        ...contender.costs,
        offers: [{ id: `model-${index}`, errorRate, p95Ms: 190 + 100 * (index % 2), perAudioHour: 0.02 }],
        // Alone each of them is unbeaten.
        paretoFront: [`model-${index}`],
      },
    })),
  )
  const lines = screen({ ...finding, contenders }).split('\n')
  const rows = lines.slice(lines.findIndex((line) => line.includes('to choose from')) + 1)
  const shown = (id: string) => rows.filter((line) => line.trim().startsWith(id))
  expect(shown('model-0').map((line) => line.trim().split(/ {2,}/).at(-1))).toEqual(['✓ on the front'])
  expect(shown('model-1').map((line) => line.trim().split(/ {2,}/).at(-1))).toEqual(['✓ on the front'])
  expect(shown('model-2').map((line) => line.trim().split(/ {2,}/).at(-1))).toEqual(['beaten'])
  // No provider was measured here.
  expect(shown('a-provider')).toEqual([])
  // One contender is no choice.
  expect(screen(finding)).not.toContain('to choose from')
})

test('as Markdown the answer is first and in bold, and what came from outside stays text', () => {
  const text = capacityMarkdown(findingWith(() => ({ id: 'a*b|<c>' })))
  expect(text.split('\n')[2]).toMatch(/^\*\*a\\\*b\\\|&lt;c\\> sustains 6\.02/)
  expect(text).toContain('| 4.10/s | 96 | 4.10/s | 300 | 180 ms | 410 ms |')
  expect(text).not.toContain('<c>')
})

test('the error rate is called by the one that leads, on every screen and page', () => {
  const finding = aFinding()
  const ofCharacters = (id: string): ContenderCapacity[] =>
    finding.contenders.map((contender) => ({
      ...contender,
      id,
      sweep: { ...contender.sweep, leads: 'characters' },
      costs: contender.costs && {
        ...contender.costs,
        offers: [{ id, errorRate: 0.05, p95Ms: 190, perAudioHour: 0.02 }],
      },
    }))
  const chinese = { ...finding, contenders: [...ofCharacters('one'), ...ofCharacters('other')] }
  for (const shown of [screen(chinese), capacityMarkdown(chinese), JSON.stringify(capacityPage(chinese))]) {
    expect(shown).toContain('CER')
    expect(shown).not.toContain('WER')
  }
  expect(screen(finding)).toContain('WER')
})

test('the page of a capacity begins with its figures, and without a capacity with the highest load that is certain', () => {
  const [found] = aFinding().contenders
  if (found === undefined) throw new TypeError('there is a contender')
  const figuresOf = (contender: ContenderCapacity): readonly string[] =>
    (capacityPage({ ...aFinding(), contenders: [contender] }).contenders[0]?.figures ?? []).map(
      ({ label, value, detail }) => `${label}: ${value} (${detail})`,
    )
  const alone = 'p95 without load: 190 ms (latency, one request at a time)'
  expect(figuresOf(found)).toEqual([
    'requests per second: 6.02 (5.61 to 6.40, measured)',
    'concurrent users: 140 (131 to 149, measured)',
    'hours of speech per hour: 20.5 (19.1 to 21.8, measured)',
    alone,
  ])
  expect(figuresOf({ ...found, capacity: null })).toContain('requests per second: 5.60 (at least)')
  expect(figuresOf({ ...found, capacity: null, bounds: { met: null, violated: null } })).toEqual([alone])
})

test('as CSV every load is a line with units in its columns', () => {
  const [header = '', ...rows] = capacityCsv(aFinding()).trim().split('\r\n')
  expect(header).toContain('offered_requests_per_second,offered_audio_seconds_per_second,concurrent_users')
  expect(rows).toHaveLength(3)
  expect(rows[0]).toContain('2026-11-21T07-31-02Z-capacity,moonshine-tiny,4.1,')
})

test('the document is what its schema says, and nothing else', () => {
  expect(capacityFindingSchema.parse(aFinding())).toEqual(aFinding())
  expect(capacityFindingSchema.safeParse({ ...aFinding(), more: 1 }).success).toBe(false)
})

test('the share of misses has an interval of as many requests as are independent, and the page the objective as a time', () => {
  const { limits, command, contenders } = capacityPage(aFinding())
  const [met, , violated] = contenders[0]?.found.levels ?? []
  // Clopper and Pearson at 90 %: 37 and 38 of 187, which 300 requests are worth that miss together 1.6 at a time.
  expect(violated?.objectives[0]?.missRate?.estimate).toBe(0.2)
  expect(violated?.objectives[0]?.missRate?.interval.low).toBeCloseTo(0.151, 2)
  expect(violated?.objectives[0]?.missRate?.interval.high).toBeCloseTo(0.258, 3)
  const rate = met?.objectives[0]?.missRate
  expect(rate?.interval.low).toBeLessThanOrEqual(rate?.estimate ?? 0)
  expect(limits).toEqual([{ objective: 'p95 <= 0.4s + 0.1d', limitMs: 740, isSame: false }])
  expect(contenders[0]?.checks).toEqual([
    {
      question: 'only the shorter half of the recordings',
      command: 'transcribench capacity --exclude librivox-0880',
    },
  ])
  const typed = { ...aFinding(), command: ['transcribench', 'capacity', '--slo', 'p95 <= 2s'] }
  expect(capacityPage(typed).command).toBe("transcribench capacity --slo 'p95 <= 2s'")
  expect(command).toBe('transcribench capacity')
})
