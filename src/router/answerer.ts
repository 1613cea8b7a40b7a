import type { Socket } from 'node:net';

/** How long nothing may move while a body goes either way, in milliseconds. */
export const STALL_MS = 15 * 60_000;

/** How the answer to a request ended. */
export interface Ended {
  /** Of the answer; 499 when the client left before there was one. */
  readonly status: number;
  /** Bytes of the answer that went to the client. */
  readonly bytes: number;
  readonly instance?: string | undefined;
  /** Whether the client's connection takes another request. */
  readonly keepsAlive: boolean;
}

/** The client whose request is at work. */
export interface ClientSide {
  readonly socket: Socket;
  /** Where it is. */
  readonly address: string;
  /** False when its connection ends with this answer, whatever it asks. */
  readonly mayGoOn: boolean;
  /** Told once. */
  end(ended: Ended): void;
}

/** What answers one request. */
export interface Answerer {
  /** Takes what the client sent. @returns What is no part of this request. */
  take(piece: Buffer): Buffer | undefined;
  /** The client has room again. */
  resume(): void;
  /** The client is gone. */
  abort(): void;
  /** Gives up what has taken too long. */
  checkTime(now: number): void;
}
