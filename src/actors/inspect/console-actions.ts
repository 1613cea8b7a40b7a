import { AppError } from '../../domain/common/error.ts';
import type { Json } from '../../domain/common/json.ts';
import type { Action } from '../../domain/inspect/message.ts';
import type { HelloFrame } from '../../domain/inspect/wire.ts';
import type { Services } from '../common/services.ts';

/** A console action that the operator can enable. */
export type ActionName = HelloFrame['actions'][number];

/** Dependencies of console actions. */
export interface ConsoleActionsDeps extends Pick<Services, 'engine'> {
  /** Actions that the operator has enabled. */
  readonly actions: readonly ActionName[];
  /** Actor kinds that accept test events. */
  readonly developmentKinds: readonly string[];
}

/** Prefix of a console user's name in the journal. */
const CONSOLE_PREFIX = 'console:';

/** Executes console actions; each one adds a journal row that names the user. */
export class ConsoleActions {
  readonly #parts: ConsoleActionsDeps;

  constructor(parts: ConsoleActionsDeps) {
    this.#parts = parts;
  }

  /** @throws {AppError} `ACTION_OFF`, and engine errors. */
  async act(action: Action, by: string): Promise<Json> {
    const { engine } = this.#parts;
    const who = by.startsWith(CONSOLE_PREFIX) ? by : `${CONSOLE_PREFIX}${by}`;
    this.#assertEnabled(action.name === 'start' ? 'send' : action.name);
    switch (action.name) {
      case 'start': {
        this.#assertDevelopmentKind(action.kind);
        return toJson(await engine.create(action.kind, action.actorId, action.input, { who }));
      }
      case 'send': {
        this.#assertDevelopmentKind((await engine.view(action.actorId)).kind);
        const { actorId, event, idempotencyKey: key } = action;
        const options = key === undefined ? { who } : { who, idempotencyKey: key };
        return toJson(await engine.tell(actorId, event, options));
      }
      case 'retry':
        return toJson(await engine.retry(action.deadLetterId, { who }));
      case 'fork': {
        const { kind } = await engine.view(action.actorId);
        // A copy of a real actor must never act; without timers nothing moves it on.
        const withoutTimers = !this.#parts.developmentKinds.includes(kind);
        return toJson(await engine.fork(action.actorId, action.atSeq, { who, withoutTimers }));
      }
    }
  }

  #assertEnabled(name: ActionName): void {
    const { actions } = this.#parts;
    if (actions.includes(name)) return;
    throw new AppError('ACTION_OFF', {
      message: `Action ${name} is off. Enable it with stoa serve --console-actions ${name}.`,
      data: { received: name, allowed: actions, flag: '--console-actions' },
    });
  }

  #assertDevelopmentKind(kind: string): void {
    const { developmentKinds } = this.#parts;
    if (developmentKinds.includes(kind)) return;
    throw new AppError('ACTION_OFF', {
      message: `Only development actors accept test events; ${kind} is not one.`,
      data: { received: kind, allowed: developmentKinds, flag: '--console-actions' },
    });
  }
}

function toJson(answer: object): Json {
  return { ...answer } as Json;
}
