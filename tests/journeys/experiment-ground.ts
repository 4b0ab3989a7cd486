import { join } from 'node:path'
import { type OpenAiDouble, startOpenAiDouble } from '../client/openai-server.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { type Workplace, workplace } from './workplace.ts'

/** Tones of 0.5 to 0.9 s. */
export const references = {
  one: 'the cat sat',
  two: 'on the mat',
  three: 'and slept',
  four: 'until noon',
  five: 'again',
}

export interface ExperimentGround extends Workplace {
  readonly server: OpenAiDouble
}

/**
 * A server with two models that say the same, one after 10 ms and one after 40: `both.yaml` has both of them, `alone.yaml` the
 * quick one.
 */
export async function experimentGround(): Promise<ExperimentGround> {
  const home = await workplace()
  const corpus = await writeToneCorpus(join(home.path, 'recordings'), references)
  const delaysMs = { quick: 10, slow: 40 }
  const models = Object.keys(delaysMs)
  const server = await startOpenAiDouble({ models, delaysMs, textOf: () => 'the cat sat' })
  for (const [name, own] of [
    ['both', models],
    ['alone', ['quick']],
  ] as const) {
    const contenders = own.map((model) => ({ engine: 'any', model }))
    const config = { name, target: server.target, corpus, contenders, rounds: 2, warmupRequests: 1 }
    await home.write(`${name}.yaml`, JSON.stringify(config))
  }
  return {
    ...home,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}
