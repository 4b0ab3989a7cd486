import { defineErrors, type ErrorTable } from '#prelude'

export type FleetErrorCode =
  | 'FLEET_PACKAGES_MISSING'
  | 'FLEET_KEY_MISSING'
  | 'FLEET_QUEUE_UNREACHABLE'
  | 'FLEET_BLOCKS_FAILED'
  | 'FLEET_HOSTS_MISSING'
  | 'FLEET_STOPPED'
  | 'FLEET_RUN_UNKNOWN'
  | 'FLEET_RUN_DIFFERS'
  | 'FLEET_MODE_UNFIT'
  | 'FLEET_FILE_TOO_LARGE'
  | 'FLEET_VERSION_DIFFERS'

/** What can go wrong between the hosts of a fleet. */
export const fleetErrors: ErrorTable<FleetErrorCode> = defineErrors({
  FLEET_PACKAGES_MISSING: {
    exit: 'badInput',
    meaning:
      'A fleet hands out its work as BullMQ jobs on Redis or Valkey. The two packages are installed by those who have a ' +
      'fleet: npm install bullmq ioredis.',
  },
  FLEET_KEY_MISSING: {
    exit: 'badInput',
    meaning:
      'A job makes an agent send audio to its target, so every message of a fleet is signed with a key that its hosts share: ' +
      'TRANSCRIBENCH_FLEET_KEY, at least 32 characters. `openssl rand -hex 32` makes one.',
  },
  FLEET_QUEUE_UNREACHABLE: {
    exit: 'targetNotReady',
    meaning:
      'The Redis or Valkey server of a fleet does not answer, or refuses the user or the password. --queue takes ' +
      'redis://host:port, and rediss:// for TLS; TRANSCRIBENCH_FLEET_QUEUE takes an address with a user and a password too.',
  },
  FLEET_BLOCKS_FAILED: {
    exit: 'runNotValid',
    meaning:
      'Hosts could not measure some blocks: their target was not ready, lacked a model, or was lost, or their agent did not ' +
      'accept the job. A block that any host may measure goes to another one first, and a host that fails two in a row is set aside. All other blocks are kept; `transcribench fleet run --resume <run>` hands out the missing ones again.',
  },
  FLEET_HOSTS_MISSING: {
    exit: 'runNotValid',
    meaning:
      'Blocks were waiting, and for longer than --idle-limit no agent measured any of their host: it was never started, was killed, or ' +
      'has another name. All other blocks are kept; `transcribench fleet run --resume <run>` waits for the missing ones again.',
  },
  FLEET_STOPPED: {
    exit: 'interrupted',
    meaning:
      'Ctrl-C came before all blocks were collected. What was collected is kept; `transcribench fleet run --resume <run>` goes on.',
  },
  FLEET_RUN_UNKNOWN: {
    exit: 'badInput',
    meaning:
      '`transcribench fleet run --resume` takes a run of a fleet that has not collected all of its blocks.',
  },
  FLEET_RUN_DIFFERS: {
    exit: 'badInput',
    meaning:
      'A run of a fleet goes on only with the plan that it began with: the same config, corpus and version of transcribench.',
  },
  FLEET_MODE_UNFIT: {
    exit: 'badInput',
    meaning:
      'With --mode replicate every host of --hosts measures the whole plan. With --mode shard any agents share it, for accuracy ' +
      'and total throughput, so its load is closed: an open load on a part of the hosts would be another load.',
  },
  FLEET_FILE_TOO_LARGE: {
    exit: 'badInput',
    meaning:
      'Recordings that a host lacks are sent through Redis in pieces of 512 KiB, files of at most 1 GiB. Copy larger ones to the ' +
      'host, and name their manifest: transcribench fleet agent --corpus <manifest>.',
  },
  FLEET_VERSION_DIFFERS: {
    exit: 'badInput',
    meaning:
      'All hosts of a fleet need the same version of transcribench, because another one may plan or measure differently.',
  },
})
