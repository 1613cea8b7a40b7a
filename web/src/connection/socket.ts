/** The part of `WebSocket` that the connection uses. */
export interface Socket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
}

/** Environment of a connection; injected so that tests can control it. */
export interface ConnectionEnvironment {
  /** Opens a socket to `/inspect`. */
  open(): Socket;
  /** Asks over HTTP whether this browser may connect: a socket does not report why it failed. */
  checkAdmission(): Promise<Admission>;
  now(): number;
  /** Returns a random number from 0 to 1, without 1. */
  random(): number;
  /** Runs `run` once after `delayMs`; returns a function that cancels it. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** `no`: sign-in with a link from the terminal is needed; `unknown`: the server did not respond. */
export type Admission = 'yes' | 'no' | 'unknown';

const UNAUTHORIZED = 401;

/** Returns the environment of a real browser. */
export function createBrowserEnvironment(): ConnectionEnvironment {
  return {
    open: () => {
      const url = new URL('/inspect', location.href);
      url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
      // Safe: browser events have more fields than the handlers here read.
      return new WebSocket(url) as Socket;
    },
    checkAdmission: async () => {
      try {
        const { status } = await fetch('/console/entry', { method: 'POST', redirect: 'error' });
        return status === UNAUTHORIZED ? 'no' : 'yes';
      } catch {
        return 'unknown';
      }
    },
    now: () => Date.now(),
    random: () => Math.random(),
    schedule: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
}
