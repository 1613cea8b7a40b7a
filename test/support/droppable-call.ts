/** A call that its caller may drop; nothing is heard of it then. */
export interface DroppableCall<Answer> {
  /** Resolves with the answer, and never when it was dropped or broke. */
  readonly answered: Promise<Answer>;
  drop(): void;
}

/** Begins a call that can be dropped. What breaks it counts as dropped. */
export function droppableCall<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
): DroppableCall<Answer> {
  const gone = new AbortController();
  return { answered: heard(ask(gone.signal)), drop: () => gone.abort() };
}

async function heard<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch {
    return new Promise<never>(() => undefined);
  }
}
