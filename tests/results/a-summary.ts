/** What a history reads of a `summary.json`: one run of the corpus quick on one machine. */
export function aSummary(
  startedAt: string,
  contenders: readonly { readonly id: string; readonly metrics: object }[],
  { profile, ...changes }: { readonly profile?: object; readonly [key: string]: unknown } = {},
): object {
  return {
    run: { name: 'quick', startedAt, target: 'embedded', cpuModel: 'a processor', cpuCount: 2 },
    validity: 'valid',
    profile: { id: 'basic', leads: 'words', ...profile },
    score: 'basic.f3bea9bd',
    corpus: { name: 'quick', fingerprint: 'f'.repeat(64) },
    load: { description: 'closed, 1 in flight' },
    speeds: { withheld: null },
    contenders,
    ...changes,
  }
}
