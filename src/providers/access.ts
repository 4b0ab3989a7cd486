import { AwsV4Signer } from 'aws4fetch'
import type { ProviderStorage } from './protocol.ts'
import { protocols } from './protocols/protocols.ts'
import { baseUrlVariableFor, keyVariableFor, type ProviderData } from './providers.ts'

/** A request without its authorisation. */
interface UnsignedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Body that the signature covers; null for an empty body, and for a recording, which is not signed. */
  readonly body: string | null
  readonly isOfStorage: boolean
}

/** Address of a provider for an account, and the authorisation of requests to it. */
export interface ProviderAccess {
  /** Base address without a trailing slash. */
  readonly baseUrl: string
  /** Whether the user set `baseUrl`, which then also replaces the addresses of single models. */
  readonly isOwnAddress: boolean
  readonly storage: ProviderStorage | null
  /** Texts that no message may contain. */
  readonly secrets: readonly string[]
  /** Headers that authorise a request. */
  authorise(request: UnsignedRequest, now: Date): Promise<Readonly<Record<string, string>>>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Required environment variables that are unset or malformed. */
export interface MissingAccess {
  readonly missing: readonly {
    readonly variable: string
    readonly holds: string
    readonly isEmpty: boolean
  }[]
}

/**
 * Reads a provider's key and addresses from the environment.
 *
 * @param keyFrom variable that holds the key; null for the default one
 */
export function providerAccess(
  provider: ProviderData,
  { env, keyFrom }: { readonly env: Environment; readonly keyFrom: string | null },
): ProviderAccess | MissingAccess {
  const { access } = protocols[provider.protocol]
  const ownAddress = env[baseUrlVariableFor(provider.id)]?.trim().replace(/\/+$/, '') || null
  if (access.kind === 'signature') return signedAccess(provider, { env, ownAddress })
  const keyVariable = keyFrom ?? keyVariableFor(provider.id)
  const storageVariable = nameStorageVariable(provider.id)
  const isAccount = access.kind === 'account'
  const hasStorage = isAccount && access.hasStorage
  const missing = findMissing(env, [
    [keyVariable, 'the key'],
    ...(ownAddress === null && !isAccount ? [] : [neededAddress(provider)]),
    ...(hasStorage
      ? ([
          [storageVariable, 'the address of a storage container with the signature that grants access'],
        ] as const)
      : []),
  ])
  if (missing.length > 0) return { missing }
  const key = env[keyVariable]?.trim() ?? ''
  const storageUrl = hasStorage ? (env[storageVariable]?.trim() ?? '') : null
  return {
    baseUrl: ownAddress ?? provider.baseUrl,
    isOwnAddress: ownAddress !== null,
    storage: storageUrl === null ? null : { url: storageUrl, bucket: null },
    secrets: [key, ...(storageUrl === null ? [] : [new URL(storageUrl).search])].filter((one) => one !== ''),
    // The query of a container's address grants access by itself, so a request to it needs no header.
    authorise: async ({ isOfStorage }) => (isOfStorage ? {} : Object.fromEntries([access.header(key)])),
  }
}

function neededAddress({ id, protocol }: ProviderData): NeededVariable {
  const isAccount = protocols[protocol].access.kind === 'account'
  return [baseUrlVariableFor(id), `the address of the service${isAccount ? ' of your account' : ''}`]
}

/** Environment variable with the address of an account's storage: `AZURE_STORAGE_URL`. */
function nameStorageVariable(id: string): string {
  return keyVariableFor(id).replace(/API_KEY$/, 'STORAGE_URL')
}

function signedAccess(
  provider: ProviderData,
  { env, ownAddress }: { readonly env: Environment; readonly ownAddress: string | null },
): ProviderAccess | MissingAccess {
  const needed = [
    ['AWS_ACCESS_KEY_ID', 'the id of the key'],
    ['AWS_SECRET_ACCESS_KEY', 'the key'],
    ['AWS_REGION', 'the region'],
    ['AWS_BUCKET', 'the name of a bucket for recordings'],
  ] as const
  const ownStorage = env[nameStorageVariable(provider.id)]?.trim().replace(/\/+$/, '') || null
  const missing = findMissing(env, [
    ...needed,
    ...(ownAddress === null ? [] : [neededAddress(provider)]),
    ...(ownStorage === null
      ? []
      : [[nameStorageVariable(provider.id), 'the address of the storage'] as const]),
  ])
  if (missing.length > 0) return { missing }
  const [accessKeyId = '', secretAccessKey = '', region = '', bucket = ''] = needed.map(
    ([variable]) => env[variable]?.trim() ?? '',
  )
  const sessionToken = env['AWS_SESSION_TOKEN']?.trim() || undefined
  return {
    baseUrl: ownAddress ?? `https://transcribe.${region}.amazonaws.com`,
    isOwnAddress: true,
    storage: { url: ownStorage ?? `https://${bucket}.s3.${region}.amazonaws.com`, bucket },
    secrets: [secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])],
    async authorise({ method, url, headers, body, isOfStorage }, now) {
      const signer = new AwsV4Signer({
        method,
        url,
        accessKeyId,
        secretAccessKey,
        region,
        headers: { ...headers },
        ...(body === null ? {} : { body }),
        ...(sessionToken === undefined ? {} : { sessionToken }),
        service: isOfStorage ? 's3' : 'transcribe',
        datetime: now.toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
      })
      const signed = await signer.sign()
      return Object.fromEntries([...signed.headers].filter(([name]) => name !== 'host'))
    },
  }
}

type NeededVariable = readonly [variable: string, holds: string]

function findMissing(env: Environment, needed: readonly NeededVariable[]): MissingAccess['missing'] {
  return needed.flatMap(([variable, holds]) => {
    const value = env[variable]?.trim() ?? ''
    const isAddress = /^https?:\/\//i.test(value) && URL.canParse(value)
    const isUsable = /^[\x21-\x7e]+$/.test(value) && (!variable.endsWith('_URL') || isAddress)
    return isUsable ? [] : [{ variable, holds, isEmpty: value === '' }]
  })
}
