import type { Command } from 'commander'
import { addableFamilies, addModel } from '#service/models/add-model'
import { removeModel } from '#service/models/install'
import { type ListedModel, listModels } from '#service/models/known-models'
import { defaultModelsDir } from '#service/settings'
import { type Attach, type CommandContext, listenForInterruption } from '../command-context.ts'
import { installMissingModels } from '../fetch.ts'
import { type OptionsOf, option, requiredOption } from '../typed-options.ts'

const folderOptions = () => [option('--models-dir <folder>', 'where models are installed')]
const listOptions = () => [...folderOptions(), option('--json', 'one JSON document on stdout')]
const familyOptions = () => [
  requiredOption('--family <family>', `one of ${addableFamilies.join(', ')}`),
  requiredOption('--path <folder>', 'where its files are'),
  option('--copy', 'copy the files, instead of using them where they are'),
  ...folderOptions(),
]

/** `transcribench models list | install | add | remove`: the weights of the reference service. */
export function defineModelsCommand(models: Command, attach: Attach): void {
  const list = models.command('list').description('list available and installed models')
  attach(list, listOptions, async (context, options) => {
    const listed = await listModels({ modelsDir: findModelsDir(context, options) })
    context.printResult(options, { models: listed }, () => modelTable(listed))
    return 'done'
  })

  const install = models
    .command('install')
    .description('fetch models, check their integrity and install them')
    .argument('<id...>', 'ids of `transcribench models list`, or hf:<owner>/<repository>')
  attach(install, folderOptions, async (context, options, ids) => {
    await installMissingModels(context, ids, findModelsDir(context, options))
    return 'done'
  })

  const add = models
    .command('add')
    .description('offer a model whose files you have, after loading it once')
    .argument('<id>', 'id of the new model')
  attach(add, familyOptions, async (context, { family, path, copy, ...options }, [id = '']) => {
    const modelsDir = findModelsDir(context, options)
    using interruption = listenForInterruption(() => context.say('stopping'))
    await addModel({ id, family, path, copy }, { modelsDir, signal: interruption.stop })
    context.say(`${id} added; a service offers it from its next start on`)
    await sayWhatCutsLongRecordings(context, modelsDir)
    return 'done'
  })

  const remove = models
    .command('remove')
    .description('remove installed models')
    .argument('<id...>', 'as `transcribench models list` shows them')
  attach(remove, folderOptions, async (context, options, ids) => {
    for (const id of ids) {
      const wasThere = await removeModel(id, { modelsDir: findModelsDir(context, options) })
      context.say(wasThere ? `${id} removed` : `${id} was not installed`)
    }
    return 'done'
  })
}

/** Hints at the model that splits long recordings, because added models accept only short ones. */
async function sayWhatCutsLongRecordings(context: CommandContext, modelsDir: string): Promise<void> {
  const listed = await listModels({ modelsDir })
  const cutter = listed.find(({ family }) => family === 'silero')
  if (cutter?.installed === false) {
    context.say(
      `For recordings that are longer than it takes at once: transcribench models install ${cutter.id}`,
    )
  }
}

function findModelsDir(context: CommandContext, { modelsDir }: OptionsOf<typeof folderOptions>): string {
  return modelsDir ?? defaultModelsDir(context.env)
}

function modelTable(models: readonly ListedModel[]): string {
  const rows = models.map((model) => [
    model.id,
    model.installed ? 'installed' : 'not installed',
    `${Math.round(model.sizeBytes / 1e6)} MB`,
    model.languages.length > 6 ? `${model.languages.length} languages` : model.languages.join(','),
    model.licence,
    model.displayName,
  ])
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
