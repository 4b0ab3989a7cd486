import { describe, expect, test } from 'vitest'
import { type CapacityFinding, capacityFindingSchema } from '#capacity'
import { capacityCsv, capacityMarkdown, capacityPage, renderCapacity } from '#reports'
import { aFinding } from '../capacity/a-finding.ts'

const terminal = { width: 80, color: false, unicode: true }
const screen = (finding: CapacityFinding, width = 80): string =>
  renderCapacity(finding, { terminal: { ...terminal, width }, folder: 'results/here' })

describe('a capacity on a screen', () => {
  test('begins with the answer: requests, interval, speech, people, what breaks first and how it was checked', () => {
    const told = screen(aFinding()).replaceAll(/\s+/g, ' ')
    expect(told.trim()).toMatch(
      /^moonshine-tiny keeps its promise up to 6\.02 requests a second \(95% interval 5\.61 to 6\.40\): 20\.5 hours of speech an hour, or 140 people dictating\. “p95 <= 0\.4s \+ 0\.1d” breaks first\. Confirmed at 5\.60 requests a second with fresh seeds\. For 500 people: 4 such machines, 5 so that one may fail/,
    )
  })

  test('shows each load with its verdict and how many requests an undecided one lacks', () => {
    const lines = screen(aFinding()).split('\n')
    expect(lines.find((line) => line.includes(' 4.10/s'))).toMatch(/✓$/)
    expect(lines.find((line) => line.includes(' 5.60/s') && line.includes('more'))).toMatch(
      /~ 220 more needed$/,
    )
    expect(lines.find((line) => line.includes(' 6.90/s'))).toMatch(/✗ p95 <= 0\.4s \+ 0\.1d$/)
  })

  test('tells of scaling, overload, cold start, what-if and cost, with units', () => {
    const told = screen(aFinding(), 140).replaceAll(/\s+/g, ' ')
    expect(told).toContain('It is serialised: more in flight gives no more (27.5× real time alone')
    expect(told).toContain(
      '2.0 times the capacity (12.0/s) for 1 min: 231 waiting at its end, 8 requests turned away, 3 failed; the promise held again 34 s after its end. Each of its 972 texts is that of its recording alone: none lost, none crossed between clients.',
    )
    expect(told).toContain(
      'start 610 ms · first answer 905 ms · two first requests at once 900 ms and 1.03 s',
    )
    expect(told).toContain('only the shorter half of the recordings 1.9 s 11.3/s 21.5× 247')
    expect(told).toContain('Simulated as 1 at once; a request alone holds its place for 94% of its time.')
    expect(told).toContain('No most productive number in flight is told: no peak was seen up to 2 in flight')
    expect(told).toContain('A provider $0.366 - 1.02 from 1.69 h a day')
  })

  test('fits 80 columns, also without signs', () => {
    for (const line of screen(aFinding()).split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
    const ascii = renderCapacity(aFinding(), { terminal: { ...terminal, unicode: false }, folder: 'x' })
    expect(ascii).not.toMatch(/[✓✗·×−“”]/)
  })

  describe('says the most that it can where no capacity was found', () => {
    const told = (
      changed: Partial<CapacityFinding['contenders'][number]>,
      fleet: CapacityFinding['fleet'] = null,
    ) => {
      const finding = aFinding()
      const contenders = finding.contenders.map((contender) => ({ ...contender, capacity: null, ...changed }))
      return screen({ ...finding, contenders, fleet })
        .replaceAll(/\s+/g, ' ')
        .trim()
    }
    const [kept, undecided, broken] = aFinding().contenders[0]?.levels ?? []
    if (kept === undefined || undecided === undefined || broken === undefined)
      throw new TypeError('three levels')

    test('a load that was confirmed, and the one that broke it', () => {
      expect(told({ ended: 'budget' })).toMatch(
        /^moonshine-tiny keeps its promise at 5\.60 requests a second at least \(confirmed with fresh seeds\): 19\.0 hours of speech an hour, or 131 people dictating\. 6\.90 requests a second broke it; the time was over before its capacity was found\./,
      )
    })

    test('machines for so many people, by what was confirmed', () => {
      expect(told({ ended: 'budget' }, aFinding().fleet)).toContain(
        '131 people on each, by the load that was confirmed',
      )
    })

    test('nothing broke it in the time', () => {
      expect(told({ ended: 'budget', levels: [kept, undecided], confirmation: null })).toMatch(
        /^moonshine-tiny keeps its promise at 4\.10 requests a second at least \(not confirmed\): 13\.9 hours of speech an hour, or 95 people dictating\. Nothing broke it up to 5\.60 requests a second; the time was over/,
      )
    })

    test('nothing is sure', () => {
      expect(told({ ended: 'budget', levels: [undecided], confirmation: null })).toMatch(
        /^moonshine-tiny: no load is sure to keep its promise\. Nothing broke it up to 5\.60 requests a second;/,
      )
    })

    test('the promise does not limit it', () => {
      expect(told({ ended: 'saturated', levels: [kept, undecided] })).toContain(
        'Nothing broke it up to 5.60 requests a second, as near to the most that it can do as can be measured: the promise does not limit it.',
      )
    })

    test('everything that was tried broke it', () => {
      expect(told({ ended: 'budget', levels: [broken] })).toMatch(
        /^moonshine-tiny broke its promise at every load that was tried, down to 6\.90 requests a second; the time was over before a lower one was\./,
      )
      expect(told({ ended: 'hopeless', levels: [broken] })).toMatch(
        /^moonshine-tiny breaks its promise at the lowest load that was tried, 6\.90 requests a second\. 95% of requests that are alone take up to 190 ms: promise more time\./,
      )
    })

    test.each([
      ['budget', 'moonshine-tiny: the time was over before any load was tried.'],
      ['interrupted', 'moonshine-tiny: it was interrupted before any load was tried.'],
    ] as const)('nothing was tried: %s', (ended, said) => {
      expect(told({ ended, levels: [] })).toContain(said)
    })
  })

  test.each([
    [
      { differing: 6, crossed: 1, emptied: 2 },
      '6 of its 972 texts are not those of the recordings alone: 2 empty, 1 those of other recordings, 3 changed.',
    ],
    [{ recoverySeconds: null }, 'the promise was not seen to hold again for 20 requests in a row.'],
    [{ recoverySeconds: null, isAlive: false }, 'it answered no more afterwards.'],
    [
      { recoverySeconds: 0, turnedAway: 0 },
      'none turned away, 3 failed; the promise held as soon as it was over.',
    ],
  ])('tells of an overload: %o', (changed, said) => {
    const finding = aFinding()
    const contenders = finding.contenders.map((contender) => ({
      ...contender,
      overloads: contender.overloads.map((overload) => ({ ...overload, ...changed })),
    }))
    expect(screen({ ...finding, contenders }).replaceAll(/\s+/g, ' ')).toContain(said)
  })

  test('does not let a simulation speak that reproduces nothing', () => {
    const finding = aFinding()
    const contenders = finding.contenders.map((contender) => ({
      ...contender,
      simulation: contender.simulation && {
        ...contender.simulation,
        silentBecause: 'it reproduces 1 of 4',
        whatIfs: [],
      },
    }))
    expect(screen({ ...finding, contenders })).toContain('The simulation is not asked: it reproduces 1 of 4.')
  })
})

test('what can be chosen is told once, and the front is that of all contenders together', () => {
  const finding = aFinding()
  const contenders = [0.054, 0.03, 0.06].flatMap((wordErrorRate, index) =>
    finding.contenders.map((contender) => ({
      ...contender,
      id: `model-${index}`,
      costs: contender.costs && {
        ...contender.costs,
        offers: [
          { id: `model-${index}`, wordErrorRate, p95Ms: 190 + 100 * (index % 2), perAudioHour: 0.02 },
          { id: 'a-provider', wordErrorRate: null, p95Ms: null, perAudioHour: 0.3665 },
        ],
        // Alone each of them is unbeaten.
        paretoFront: [`model-${index}`],
      },
    })),
  )
  const lines = screen({ ...finding, contenders }).split('\n')
  const rows = lines.slice(lines.findIndex((line) => line.includes('to choose from')) + 1)
  const told = (id: string) => rows.filter((line) => line.trim().startsWith(id))
  expect(told('model-0').map((line) => line.trim().split(/ {2,}/).at(-1))).toEqual(['✓ on the front'])
  expect(told('model-1').map((line) => line.trim().split(/ {2,}/).at(-1))).toEqual(['✓ on the front'])
  expect(told('model-2').map((line) => line.trim().split(/ {2,}/).at(-1))).toEqual(['beaten'])
  expect(told('a-provider').map((line) => line.trim().split(/ {2,}/).at(-1))).toEqual(['not measured'])
})

test('as Markdown the answer stands first and in bold, and what came from outside stays text', () => {
  const finding = aFinding()
  const contenders = finding.contenders.map((contender) => ({ ...contender, id: 'a*b|<c>' }))
  const text = capacityMarkdown({ ...finding, contenders })
  expect(text.split('\n')[2]).toMatch(/^\*\*a\\\*b\\\|\\<c\\> keeps its promise up to 6\.02/)
  expect(text).toContain('| 4.10/s | 96 | 4.10/s | 300 | 180 ms | 410 ms |')
  expect(text).not.toContain('<c>')
})

test('as CSV every load is a line with units in its columns', () => {
  const [header = '', ...rows] = capacityCsv(aFinding()).trim().split('\r\n')
  expect(header).toContain('offered_requests_per_second,offered_audio_seconds_per_second,people')
  expect(rows).toHaveLength(3)
  expect(rows[0]).toContain('2026-11-21T07-31-02Z-capacity,moonshine-tiny,4.1,')
})

test('the document is what its schema says, and nothing else', () => {
  expect(capacityFindingSchema.parse(aFinding())).toEqual(aFinding())
  expect(capacityFindingSchema.safeParse({ ...aFinding(), more: 1 }).success).toBe(false)
})

test('the page has what share misses at each load, by as many requests as are independent, and the promise as a time', () => {
  const { contenders, limits, command } = capacityPage(aFinding())
  const [kept, , broken] = contenders[0]?.misses['p95 <= 0.4s + 0.1d'] ?? []
  expect(broken).toMatchObject({ requestsPerSecond: 6.9, share: 0.2, verdict: 'broken' })
  // Wilson: 38 of 188, which 300 requests are worth that miss together 1.6 at a time.
  expect(broken?.low).toBeCloseTo(0.151, 3)
  expect(broken?.high).toBeCloseTo(0.265, 3)
  expect(kept?.low).toBeLessThanOrEqual(kept?.share ?? 0)
  expect(limits).toEqual([{ promise: 'p95 <= 0.4s + 0.1d', limitMs: 740, isSame: false }])
  expect(contenders[0]?.checks).toEqual([
    {
      question: 'only the shorter half of the recordings',
      command: 'asrbench capacity --exclude librivox-0880',
    },
  ])
  const typed = { ...aFinding(), command: ['asrbench', 'capacity', '--promise', 'p95 <= 2s'] }
  expect(capacityPage(typed).command).toBe("asrbench capacity --promise 'p95 <= 2s'")
  expect(command).toBe('asrbench capacity')
})
