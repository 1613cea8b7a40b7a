/** What the connection needs of a WebSocket; the browser's own fits. */
export interface Socket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
}

/** The outside of a connection, handed in so that tests can play it. */
export interface Outside {
  /** Opens a socket to `/inspect`. */
  open(): Socket;
  /** Asks by plain HTTP whether this browser may connect: a socket does not tell why it failed. */
  mayConnect(): Promise<Admission>;
  now(): number;
  /** A number from 0 up to 1. */
  chance(): number;
  /** Runs once after `delayMs`; the answer cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

/** `yes`; `no`: a link from the terminal is needed; `unknown`: the server did not answer. */
export type Admission = 'yes' | 'no' | 'unknown';

const UNAUTHORIZED = 401;

/** The outside as a browser has it. */
export function browserOutside(): Outside {
  return {
    open: () => {
      const url = new URL('/inspect', location.href);
      url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
      // The browser's handlers take events that have more than what is read here.
      return new WebSocket(url) as Socket;
    },
    mayConnect: async () => {
      try {
        const { status } = await fetch('/console/entry', { method: 'POST', redirect: 'error' });
        return status === UNAUTHORIZED ? 'no' : 'yes';
      } catch {
        return 'unknown';
      }
    },
    now: () => Date.now(),
    chance: () => Math.random(),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
}
