/** Something that happened at the time of a chart's bucket. */
export type Mark = { at: string | number; mark: string };
