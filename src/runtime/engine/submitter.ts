import type { Core } from './core.ts';
import type { Intake } from './intake.ts';
import type { Write } from './ports.ts';
import type { DeadLetter } from './types.ts';

/** An actor that could not be created. */
export interface FailedCreation {
  readonly to: string;
  readonly kind: string;
  readonly input: unknown;
  /** Makes the id of the dead letter unique. */
  readonly mark: string;
}

/** Commits rows that belong to no actor. */
export class Submitter {
  readonly #core: Core;
  readonly #intake: Intake;

  constructor(core: Core, intake: Intake) {
    this.#core = core;
    this.#intake = intake;
  }

  /**
   * Resolves when the rows are on disk. `onDisk` is called first, before any waiter is notified.
   */
  write(writes: readonly Write[], onDisk: () => void = () => undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        onDisk();
        resolve();
      };
      this.#core.committer.submit(writes, { done, failed: reject });
    });
  }

  /** Stores a failed creation as a dead letter, with other rows, and notifies the operator. */
  async deadLetter(
    { to, kind, input, mark }: FailedCreation,
    error: unknown,
    extra: readonly Write[],
  ): Promise<DeadLetter> {
    const event = { type: 'actor.create', kind, input };
    const cause = { by: 'create' } as const;
    const deadLetter = await this.#intake.storeDeadLetter({ event, cause, to, mark }, error, extra);
    this.#core.notice({
      kind: 'dead_letter',
      actorId: to,
      message: `${to} could not be created: ${deadLetter.reason}`,
      deadLetterId: deadLetter.deadLetterId,
      cause: error,
    });
    return deadLetter;
  }
}
