/** The part of the parser that the tests use; the package ships no types. */
declare module 'parse-prometheus-text-format' {
  interface Family {
    readonly name: string
    readonly metrics: readonly {
      readonly labels?: Readonly<Record<string, string>>
      readonly value?: string
      readonly buckets?: Readonly<Record<string, string>>
    }[]
  }
  export default function parsePrometheusTextFormat(text: string): readonly Family[]
}
