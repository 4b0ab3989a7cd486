import { test } from 'vitest'
import { expectSameWhenKilled } from '../corpus/import/killed-import.ts'

test('an import of 5,001 utterances that is killed twice ends as one that is not, and fetches nothing twice', () =>
  expectSameWhenKilled(1667))
