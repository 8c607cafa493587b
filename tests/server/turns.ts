/** How many turns the event loop takes while something happens: none where it never leaves the loop to others. */
export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ turns: number; result: T }> {
  let turns = 0;
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    turns += 1;
  }
  return { turns, result: await working };
}
