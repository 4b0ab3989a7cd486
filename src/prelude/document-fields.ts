import { z } from 'zod'

/** Common types of document fields; each field adds its own description. */
export const text = z.string()
export const nullableText = text.nullable()
export const number = z.number()
export const nullableNumber = number.nullable()
export const nonNegative = number.min(0)
export const count = z.int().min(0)
export const nullableCount = count.nullable()
/** A fraction from 0 to 1. */
export const share = number.min(0).max(1)
export const nullableShare = share.nullable()
export const flag = z.boolean()
export const { array: list, enum: oneOf, nullable: orNull, strictObject: group } = z

export function groupOrNull<Fields extends z.core.$ZodLooseShape>(
  fields: Fields,
): z.ZodNullable<z.ZodObject<Fields, z.core.$strict>> {
  return group(fields).nullable()
}

/** An object of a document. `id` names it in JSON Schemas and their documentation; unknown fields are rejected. */
export function part<Fields extends z.core.$ZodLooseShape>(
  id: string,
  description: string,
  fields: Fields,
): z.ZodObject<Fields, z.core.$strict> {
  return z.strictObject(fields).meta({ id, description })
}
