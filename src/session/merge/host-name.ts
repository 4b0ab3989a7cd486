/** A name of a host may have what names of files may have; `@` separates it from the contender. */
export const hostName = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u
