let listener: ((text: string) => void) | undefined;

/** Sets the listener for crashed threads, which replaces the previous one. */
export function onThreadCrash(handler: ((text: string) => void) | undefined): void {
  listener = handler;
}

/** Reports that a thread crashed. */
export function reportThreadCrash(name: string, thrown: unknown): void {
  const {
    code,
    name: kind,
    message,
  }: Error & { readonly code?: string } = thrown instanceof Error
    ? thrown
    : new Error(String(thrown));
  listener?.(`a thread crashed (${name}): ${code ?? kind}: ${message}`);
}
