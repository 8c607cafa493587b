import { loaded } from "./loaded.ts";

loaded("embedding");

/** Long texts are far from short ones. */
export const embed = async (texts: string[]): Promise<number[][]> =>
  texts.map((text) => (text.length > 40 ? [0, 1] : [1, 0]));
