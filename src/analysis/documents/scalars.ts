import { z } from 'zod'

/** What most fields of the documents are; each field adds its own description. */
export const text = z.string()
export const nullableText = z.string().nullable()
export const count = z.int().min(0)
export const number = z.number()
export const nullableNumber = z.number().nullable()
/** 0..1. */
export const share = z.number().min(0).max(1)
