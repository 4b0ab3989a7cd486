import { once } from 'node:events'
import { startCli } from '../journeys/run-cli.ts'

export interface ReviewProcess extends AsyncDisposable {
  readonly address: string
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Starts `transcribench review` and waits for its link. */
export async function startReview(subject: string, by: string, cwd: string): Promise<ReviewProcess> {
  const cli = startCli(['review', subject, '--reviewer', by], { cwd })
  const address = await new Promise<string>((resolve, reject) => {
    let printed = ''
    cli.process.stdout?.on('data', (text: string) => {
      printed += text
      const found = /http:\S+/.exec(printed)
      if (found !== null) resolve(found[0])
    })
    void cli.ended.then(({ stderr }) => reject(new Error(stderr)))
  })
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    const gone = once(cli.process, 'exit')
    if (cli.process.kill(signal)) await gone
  }
  return { address, kill, [Symbol.asyncDispose]: () => kill('SIGTERM') }
}
