/** The sum of a quantity over all items; 0 without any. */
export function sumOf<Item>(items: readonly Item[], quantity: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + quantity(item), 0)
}
