import { BenchError, defineErrors, type ErrorTable } from '#prelude'

/** What can be wrong with starting the reference service, or with its installed models. */
export const serviceErrors: ErrorTable<
  | 'SERVICE_OPTIONS_INVALID'
  | 'SERVICE_DATA_DIR_HELD'
  | 'SERVICE_DATA_DIR_UNUSABLE'
  | 'SERVICE_PORT_TAKEN'
  | 'BACKUP_UNUSABLE'
  | 'ENGINES_FILE_INVALID'
  | 'MODEL_UNKNOWN'
  | 'MODEL_NOT_ADDED'
  | 'MODEL_REFUSED'
  | 'MODEL_UNREACHABLE'
  | 'MODEL_UNUSABLE'
  | 'MODEL_REGISTER_UNREADABLE'
  | 'MODEL_INSTALL_BUSY'
  | 'MODEL_INSTALL_CANCELLED'
  | 'MODELS_DISK_FULL'
  | 'MODELS_DIR_UNUSABLE'
> = defineErrors({
  SERVICE_OPTIONS_INVALID: {
    exit: 'badInput',
    meaning:
      'An option of the reference service has an invalid value. All of them are listed at once. ' +
      'A directory that clients may read files from has to exist when the service starts.',
  },
  SERVICE_DATA_DIR_HELD: {
    exit: 'badInput',
    meaning:
      'Another reference service is running on this data directory. Its Modes, token and discovery file belong ' +
      'to one service at a time. Stop the other one, use it (its discovery file is in that directory), or give ' +
      'the second service another data directory.',
  },
  SERVICE_DATA_DIR_UNUSABLE: {
    exit: 'badInput',
    meaning:
      'The data directory of the reference service, or a file in it, cannot be read or written: a permission is ' +
      'missing, others own it or can write to it, the database is damaged, the disk is full, there is a file in place of a folder, ' +
      'or a newer version wrote it.',
  },
  SERVICE_PORT_TAKEN: {
    exit: 'badInput',
    meaning:
      'The port that was asked for cannot be bound on 127.0.0.1: another program listens on it, or the operating ' +
      'system reserves it. Without a port the service takes a free one and writes it to its discovery file.',
  },
  BACKUP_UNUSABLE: {
    exit: 'badInput',
    meaning:
      'A backup cannot be written where it should be, or cannot be restored from there: the folder exists already, is no ' +
      'backup, or the data directory holds the data of a service. Nothing is overwritten and nothing is left half there.',
  },
  ENGINES_FILE_INVALID: {
    exit: 'badInput',
    meaning:
      'The file that names programs and servers as engines (--engines) cannot be read, or says something that the ' +
      'service cannot work with. Every problem is listed with its line and column; docs/engines.md shows such a file.',
  },
  MODEL_UNKNOWN: {
    exit: 'badInput',
    meaning:
      'The catalogue of the reference service has no model of that name, or the hub of Hugging Face has no such repository ' +
      'or revision. `transcribench models list` shows all that have a name; hf:<owner>/<repository> is any other export.',
  },
  MODEL_NOT_ADDED: {
    exit: 'badInput',
    meaning:
      'A model cannot be added as it was named: the name is taken, the family is unknown, or the folder does not ' +
      'hold exactly one file for each part of a model of that family. Everything that is in the way is listed.',
  },
  MODEL_REFUSED: {
    exit: 'badInput',
    meaning:
      'The hub of Hugging Face asks for a login or for consent to the terms of a model, or sent a file that is not the one ' +
      'that it lists. A token is read from HF_TOKEN.',
  },
  MODEL_UNREACHABLE: {
    exit: 'badInput',
    meaning:
      'The hub of Hugging Face, or the mirror that HF_ENDPOINT names, did not answer or broke the transfer too often. What was ' +
      'fetched is kept, and the same command goes on from there.',
  },
  MODEL_UNUSABLE: {
    exit: 'badInput',
    meaning:
      'A model that a user added, or wants to add, cannot be used. It was loaded once in a separate process and ' +
      'that failed (another family, an export for another runtime, a file cut short), or its files have changed since.',
  },
  MODEL_REGISTER_UNREADABLE: {
    exit: 'badInput',
    meaning:
      'The file registered.json in the models directory, which remembers the models that were added, cannot be read ' +
      'or holds something else. Nothing is guessed from it.',
  },
  MODEL_INSTALL_BUSY: {
    exit: 'badInput',
    meaning:
      'Another process is installing or removing models in the same directory. Two at once could hand each other ' +
      'half a model, so the second one waits for a person to try again.',
  },
  MODEL_INSTALL_CANCELLED: {
    exit: 'interrupted',
    meaning:
      'The installation was interrupted. Nothing is half installed; what was downloaded is kept, and the next ' +
      'installation goes on from there.',
  },
  MODELS_DISK_FULL: {
    exit: 'badInput',
    meaning:
      'The disk that holds the models directory is full. An installation needs space for the download and for the ' +
      'unpacked files at the same time; the download is removed afterwards.',
  },
  MODELS_DIR_UNUSABLE: {
    exit: 'badInput',
    meaning: 'The models directory cannot be read or written by this user, or its path is not a directory.',
  },
})

/** Whether the operating system or the database refused; anything else is a bug in transcribench, or is already reported. */
export function isOfTheSystem(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof BenchError) return false
  return 'syscall' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR')
}
