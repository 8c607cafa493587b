/**
 * How a promise ended, for `expect(await outcome(promise)).toThrow(…)`. Bun's own `expect(promise).rejects` waits
 * for the promise in a way that takes a quarter of a second wherever a PGlite lives in the same process.
 */
export async function outcome(promise: Promise<unknown>): Promise<() => unknown> {
  try {
    const value = await promise;
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
