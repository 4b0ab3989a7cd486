/** The used part of `aws4fetch`. The declarations of its version 1.0.20 need browser types. */
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
    /** UTC date and time in ISO 8601 basic format: `20261123T041019Z`. */
    readonly datetime: string
  })
  sign(): Promise<{ readonly headers: Headers }>
}
