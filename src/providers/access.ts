import { AwsV4Signer } from 'aws4fetch'
import type { ProviderStorage } from './protocol.ts'
import { protocols } from './protocols/protocols.ts'
import { baseUrlVariableFor, keyVariableFor, type ProviderData } from './providers.ts'

/** A request before it says who sends it. */
interface UnsignedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Null for none, and for a recording, whose bytes are in no signature. */
  readonly body: string | null
  readonly isOfStorage: boolean
}

/** Where a provider is for an account, and how requests say that they are of it. */
export interface ProviderAccess {
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Whether `baseUrl` was given, and replaces the addresses of single models as well. */
  readonly isOwnAddress: boolean
  readonly storage: ProviderStorage | null
  /** What is to be in no message. */
  readonly secrets: readonly string[]
  /** Headers that show whose request it is. */
  authorise(request: UnsignedRequest, now: Date): Promise<Readonly<Record<string, string>>>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Variables of the environment that are needed and not set, or hold something else. */
export interface MissingAccess {
  readonly missing: readonly {
    readonly variable: string
    readonly holds: string
    readonly isEmpty: boolean
  }[]
}

/**
 * Reads what requests to a provider need out of the environment, and nothing else.
 *
 * @param keyFrom variable with the key, where it is another than the usual one
 */
export function providerAccess(
  provider: ProviderData,
  { env, keyFrom }: { readonly env: Environment; readonly keyFrom: string | null },
): ProviderAccess | MissingAccess {
  const { access } = protocols[provider.protocol]
  const own = env[baseUrlVariableFor(provider.id)]?.trim().replace(/\/+$/, '') || null
  if (access.kind === 'signature') return signedAccess(provider, { env, own })
  const keyVariable = keyFrom ?? keyVariableFor(provider.id)
  const storageVariable = nameStorageVariable(provider.id)
  const isAccount = access.kind === 'account'
  const hasStorage = isAccount && access.hasStorage
  const missing = findMissing(env, [
    [keyVariable, 'the key'],
    ...(own === null && !isAccount ? [] : [neededAddress(provider)]),
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
    baseUrl: own ?? provider.baseUrl,
    isOwnAddress: own !== null,
    storage: storageUrl === null ? null : { url: storageUrl, bucket: null },
    secrets: [key, ...(storageUrl === null ? [] : [new URL(storageUrl).search])].filter((one) => one !== ''),
    // The query of a container grants access by itself.
    authorise: async ({ isOfStorage }) => (isOfStorage ? {} : Object.fromEntries([access.header(key)])),
  }
}

function neededAddress({ id, protocol }: ProviderData): NeededVariable {
  const isAccount = protocols[protocol].access.kind === 'account'
  return [baseUrlVariableFor(id), `the address of the service${isAccount ? ' of your account' : ''}`]
}

/** `AZURE_STORAGE_URL`. */
function nameStorageVariable(id: string): string {
  return keyVariableFor(id).replace(/API_KEY$/, 'STORAGE_URL')
}

function signedAccess(
  provider: ProviderData,
  { env, own }: { readonly env: Environment; readonly own: string | null },
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
    ...(own === null ? [] : [neededAddress(provider)]),
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
    baseUrl: own ?? `https://transcribe.${region}.amazonaws.com`,
    isOwnAddress: true,
    storage: { url: ownStorage ?? `https://${bucket}.s3.${region}.amazonaws.com`, bucket },
    secrets: [secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])],
    async authorise({ method, url, headers, body, isOfStorage }, now) {
      const signer = new AwsV4Signer({
        ...{ method, url, accessKeyId, secretAccessKey, region },
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
