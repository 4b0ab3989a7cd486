import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluationSchema } from '#analysis/documents/evaluation'
import { listRuns } from '#journal/find-run'
import { runFiles } from '#journal/run-writer'
import { runCli } from '../journeys/run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { damages, writeDamagedCorpus } from './damaged-corpus.ts'

const quick = join(import.meta.dirname, '../../corpora/quick/manifest.jsonl')

// Needs the models and recordings that `./scripts/test` fetches.
test('what the detectors say of moonshine on recordings that were damaged in known ways', async () => {
  await using home = await temporaryFolder()
  const manifest = await writeDamagedCorpus(join(home.path, 'damaged'), quick)
  const results = join(home.path, 'results')
  const ran = await runCli(
    ['run', '--corpus', manifest, '--rounds', '1', '--results', results, '--threshold', 'failures <= 0%'],
    { cwd: home.path, env: { ...process.env, HOME: homedir() } as Record<string, string> },
  )
  expect(ran, ran.stderr).toMatchObject({ code: 0 })
  const [folder = ''] = await listRuns(results)
  const { errorAnalyses, utterances } = evaluationSchema.parse(
    JSON.parse(await readFile(join(folder, runFiles.evaluation), 'utf8')),
  )
  expect(utterances.filter(({ status }) => status !== 'scored')).toEqual([])
  for (const { contenderId, pathologies, silence } of errorAnalyses) {
    process.stdout.write(`${contenderId}\n`)
    for (const { name, expected } of damages) {
      const found = pathologies.map(({ kind, examples }) => {
        const ids = examples.filter(({ utteranceId }) => utteranceId.endsWith(`.${name}`))
        return [kind, new Set(ids.map(({ utteranceId }) => utteranceId)).size] as const
      })
      const told = found.filter(([, count]) => count > 0).map(([kind, count]) => `${kind} ${count}`)
      process.stdout.write(`  ${name} (expected: ${expected}): ${told.join(', ') || 'nothing'} of 10\n`)
      // What was found in words, so that an alarm can be distinguished from a find.
      for (const { kind, examples } of pathologies) {
        for (const { utteranceId, detail } of examples) {
          if (!utteranceId.endsWith(`.${name}`)) continue
          const { reference = '', hypothesis = null } =
            utterances.find((one) => one.utteranceId === utteranceId && one.contenderId === contenderId) ?? {}
          process.stdout.write(
            `    ${kind} "${detail.slice(0, 80)}": "${reference}" was heard as "${(hypothesis ?? '').slice(0, 160)}"\n`,
          )
        }
      }
      if (name === 'clean') expect(told).toEqual([])
    }
    process.stdout.write(
      `  no speech: ${silence?.answeredWithWords.numerator} of ${silence?.utteranceCount} answered with words, ` +
        `${silence?.insertedWords} words: ${silence?.examples.map(({ utteranceId, hypothesis }) => `${utteranceId} "${hypothesis.slice(0, 60)}"`).join('; ')}\n`,
    )
  }
})
