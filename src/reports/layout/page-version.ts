/** Version of what a page carries inside. A page brings its own reader along, so nobody else needs to read it. */
export const pageFormatVersion = 1
