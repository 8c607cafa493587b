/** Milliseconds since 1970. */
export type Instant = number;
/** JSON in a text column: the same bytes on every dialect. */
export type Json = string;
/** 0 or 1. */
export type Flag = number;
/** What a `SecretBox` made of a text. */
export type Sealed = string;
