export type { ErrorCounts } from './counts.ts'
