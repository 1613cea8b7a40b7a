/** Lets everybody else have a turn: between two pieces of a long text, say. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
