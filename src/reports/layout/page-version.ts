/** Version of the data inside a page. A page contains its own reader, so no other program has to read the data. */
export const pageFormatVersion = 1
