/** What is left where a line misses its goal, as the profiles and measurements beside them say: one sentence each. */
export const REASONS: Record<string, string> = {};
