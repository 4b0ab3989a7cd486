import { readFile } from 'node:fs/promises'

/** The version of this package, from its `package.json`, which lies two folders up in `src` and in `dist`. */
export async function readAppVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version)
  throw new TypeError('package.json has no version')
}
