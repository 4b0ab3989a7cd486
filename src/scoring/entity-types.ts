/** What an entity of a reference can be, in the order of reports. */
export const entityTypes = ['name', 'number', 'email', 'phone', 'date', 'drug', 'place'] as const
export type EntityType = (typeof entityTypes)[number]
