import type { PlannedRequest } from '#journal'
import type { Sender, SenderPart } from './sender.ts'

/** Carries each request to the target of its contender. */
export function routedSender(parts: readonly SenderPart[]): Sender {
  const byContender = new Map(
    parts.flatMap(({ contenderIds, sender }) => contenderIds.map((id) => [id, sender] as const)),
  )
  const senderFor = ({ contenderId }: Pick<PlannedRequest, 'contenderId'>): Sender => {
    const sender = byContender.get(contenderId)
    if (sender === undefined) throw new TypeError(`${contenderId} has no target`)
    return sender
  }
  return {
    get baseUrl() {
      return parts.map(({ sender }) => sender.baseUrl).join(', ')
    },
    audioSeconds: (request) => senderFor(request).audioSeconds(request),
    modeId: (request) => senderFor(request).modeId(request),
    send: (request, call) => senderFor(request).send(request, call),
    async isAlive() {
      const answers = await Promise.all(parts.map(({ sender }) => sender.isAlive()))
      return answers.includes(true)
    },
    parts,
  }
}

/** The target that answers a contender; the sender itself where it has but one. */
export function partFor(sender: Sender, contenderId: string): SenderPart | null {
  return sender.parts?.find(({ contenderIds }) => contenderIds.includes(contenderId)) ?? null
}
