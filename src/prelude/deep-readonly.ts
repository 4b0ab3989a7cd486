/**
 * A value that is read-only at any depth: the type of a document, made from its schema.
 *
 *   export type ErrorRate = DeepReadonly<z.infer<typeof errorRateSchema>>
 */
export type DeepReadonly<Value> = Value extends string
  ? Value
  : { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
