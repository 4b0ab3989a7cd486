/** One of the few figures that a page shows large, above everything else. */
export interface FirstFigure {
  readonly label: string
  readonly value: string
  /** Its interval, what it is compared with, or why it is absent. */
  readonly detail: string
}
