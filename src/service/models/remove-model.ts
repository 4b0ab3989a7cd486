import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Catalogue } from './catalogue.ts'
import { findModels } from './find-models.ts'
import { changeModels, fetchedPath, leftoverPath } from './models-dir.ts'
import { readRegister, writeRegister } from './registered-models.ts'

/**
 * Removes an installed model in one step, and what was fetched of it so far. A service that has it in memory keeps
 * working. Of a model that was added, what is remembered of it goes, and the copy if there is one; files that stayed where
 * they were are left.
 *
 * @returns whether there was anything to remove
 * @throws BenchError with a code that begins with MODEL, see `serviceErrors`
 */
export async function removeModel(
  id: string,
  options: { readonly modelsDir: string; readonly catalogue?: Catalogue | undefined },
): Promise<boolean> {
  const { modelsDir } = options
  const [model] = await findModels([id], options)
  if (model === undefined) return false
  return changeModels(modelsDir, undefined, async () => {
    await rm(fetchedPath(modelsDir, id), { recursive: true, force: true })
    const added = await readRegister(modelsDir)
    const itself = added.find((known) => known.id === id)
    if (itself !== undefined)
      await writeRegister(
        modelsDir,
        added.filter((known) => known !== itself),
      )
    if (itself?.copied === false) return true
    const removing = leftoverPath(modelsDir, 'removing', id)
    try {
      await rename(join(resolve(modelsDir), id), removing)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return itself !== undefined
      throw error
    }
    await rm(removing, { recursive: true, force: true })
    return true
  })
}
