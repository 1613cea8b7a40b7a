/** Yields to the event loop, for example between two parts of a long text. */
export async function yieldToEventLoop(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
