import { expect } from 'vitest';
import type { Standing } from '../../src/testing/path.ts';
import type { BoardServer, Letter } from './board-server.ts';
import { jobIn, stateIn } from './board-truth.ts';

/** Callers are not kept waiting for longer, by the server's clock, in milliseconds. */
const PATIENCE_MS = 85_000;

interface OpenCall {
  readonly letter: Letter;
  /** The model's job when it was sent first. */
  readonly before: Standing;
  /** By the server's clock. */
  readonly sentAt: Promise<number>;
  readonly cut: AbortController;
  answer?: Answer;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Calls of the sides that wait for the job to have moved. */
export class BoardCalls {
  readonly #server: BoardServer;
  #open: OpenCall[] = [];
  #last: OpenCall | undefined;
  #cut: readonly OpenCall[] = [];

  constructor(server: BoardServer) {
    this.#server = server;
  }

  /** Sends a call and does not wait for it. */
  open(letter: Letter, before: Standing): void {
    const cut = new AbortController();
    const call: OpenCall = { letter, before, sentAt: this.#server.now(), cut };
    call.sentAt.catch(() => undefined);
    this.#last = call;
    this.#open.push(call);
    const hear = async (): Promise<void> => {
      const answer = await this.#server.send(letter, cut.signal);
      call.answer = { status: answer.status, body: (await answer.json()) as Answer['body'] };
    };
    // A connection that is cut has no answer; who waits for one says so.
    hear().catch(() => undefined);
  }

  /** Connections break; what was not answered is remembered. */
  cut(): void {
    this.#cut = this.#open;
    for (const { cut } of this.#open) cut.abort();
    this.#open = [];
  }

  /** Sends again what was cut off. */
  again(): void {
    for (const { letter, before } of this.#cut) this.open(letter, before);
    this.#cut = [];
  }

  /** Nobody asks again for what was cut off. */
  forget(): void {
    this.#cut = [];
  }

  /** Sends the last call once more. */
  repeat(): void {
    if (this.#last !== undefined) this.open(this.#last.letter, this.#last.before);
  }

  /** Calls that the model's job has answered have their answer, and it is the one of the model. */
  async check(jobId: string, expected: Standing): Promise<void> {
    const { pending, payment, funding } = jobIn(expected);
    const state = stateIn(expected.value);
    const isBusy = funding === 'escrow' ? pending !== null : payment !== null;
    if (state.startsWith('funded') || (isBusy && expected.status === 'active')) return;
    for (const call of this.#open.splice(0)) {
      const isAnswered = await this.#server.until(async () => call.answer !== undefined);
      expect([isAnswered, call.letter.path]).toEqual([true, call.letter.path]);
      const isLate = (await this.#server.now()) - (await call.sentAt) > PATIENCE_MS;
      const { status, body } = call.answer ?? { status: 0, body: {} };
      if (isLate && status === 200) continue;
      const seen = JSON.stringify(body);
      expect([status === 200, seen]).toEqual([!isRefused(call, expected), seen]);
      if (status === 200) expect(body['job_id']).toBe(jobId);
    }
  }
}

function isRefused({ before }: OpenCall, expected: Standing): boolean {
  if (stateIn(expected.value).startsWith('unfunded')) return true;
  const { lastMove } = jobIn(expected);
  const isNew = JSON.stringify(lastMove) !== JSON.stringify(jobIn(before).lastMove);
  return isNew && lastMove?.isRefused === true;
}
