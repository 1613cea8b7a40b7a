/** What a feed of log lines has told so far. */
export interface LogEvents {
  /** The head of the feed has come. */
  readonly begun: Promise<void>;
  messages(): readonly string[];
}

/** Reads server-sent events of an answer until it ends. */
export function streamOf(answer: Response): LogEvents {
  let text = '';
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of answer.body ?? []) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      begin();
    }
  };
  read().catch(() => undefined);
  return {
    begun,
    messages: () =>
      text
        .split('\n\n')
        .filter((event) => event.startsWith('data: '))
        .map((event) => JSON.parse(event.slice('data: '.length)).message),
  };
}
