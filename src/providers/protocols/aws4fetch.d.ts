/** The part of `aws4fetch` that is used. Its own declarations of 1.0.20 need those of a browser. */
export class AwsV4Signer {
  constructor(request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
    readonly service: string
    readonly region: string
    /** `20261123T041019Z` */
    readonly datetime: string
  })
  sign(): Promise<{ readonly headers: Headers }>
}
