import type { Socket } from 'node:net';

/**
 * Maximum time without progress while a body is transferred in either direction, in milliseconds.
 */
export const STALL_MS = 15 * 60_000;

/** Outcome of a request. */
export interface RequestOutcome {
  /** Status of the response; 499 if the client left before there was one. */
  readonly status: number;
  /** Bytes of the response sent to the client. */
  readonly bytes: number;
  readonly instance?: string | undefined;
  /** Whether the client's connection accepts another request. */
  readonly keepsAlive: boolean;
}

/** The client whose request is being processed. */
export interface ClientHandle {
  readonly socket: Socket;
  /** IP address of the client. */
  readonly address: string;
  /** False if its connection ends with this response, regardless of what it requests. */
  readonly canContinue: boolean;
  /** Called once, when the request is over. */
  endConnection(ended: RequestOutcome): void;
}

/** Processes one request. */
export interface RequestHandler {
  /**
   * Consumes bytes that the client sent.
   *
   * @returns Bytes that do not belong to this request.
   */
  consume(piece: Buffer): Buffer | undefined;
  /** Called when the client can receive data again. */
  resume(): void;
  /** Called when the client is gone. */
  abort(): void;
  /** Aborts anything that has timed out. */
  checkTime(now: number): void;
}
