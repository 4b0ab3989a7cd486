import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFolder } from '#installation/installation'
import { pageAssets } from '#results/page-assets'

const kept = join(packageFolder, 'node_modules/.cache/report-page.json')

test('the bundle of the page is made again after a source has changed', async () => {
  const { script } = await pageAssets()
  const bundle = JSON.parse(await readFile(kept, 'utf8'))
  const inputs = { ...bundle.inputs, 'src/page/main.tsx': 'another state' }
  await writeFile(kept, JSON.stringify({ inputs, assets: { script: 'of older sources', style: '' } }))
  expect((await pageAssets()).script).toBe(script)
  expect(JSON.parse(await readFile(kept, 'utf8'))).toEqual(bundle)
})
